"""Doubts about the load itself: held back, more than the server could take, turned away. Knows plans and counts."""

from bisect import bisect_right
from collections.abc import Iterator, Sequence
from itertools import accumulate

from core.doubts.client import TTFT_LEAST_S
from core.doubts.evidence import Evidence, middle
from core.doubts.finding import Finding
from core.load import Load
from core.percentile import too_few
from core.quantities import number, percent, seconds
from core.records import FailureKind, Outcome, RequestRecord
from core.run import RunState, StoppedBy
from core.timeline import per_second
from core.words import ended, say

BEHIND_SHARE = 0.02
SLIP_SHARE = 0.10  # of the TTFT median
TURNED_AWAY_SHARE = 0.01


def schedule_doubts(seen: Evidence) -> Iterator[Finding]:
    """An open loop that did not send when it should: the cap in flight held requests back, or the client was late.

    What could not leave since no connection stood is neither's doing, and told apart.
    """
    load = seen.run.plan.load
    if load.variable != "rate":
        return
    due = [record for record in seen.measured if record.scheduled_s is not None]
    refused = [record for record in due if record.sent_s is None and record.outcome is Outcome.FAILED]
    if len(refused) > BEHIND_SHARE * len(due):
        yield _not_connected(refused, len(due))
    offered, sent = (seen.summary.throughput.get(f"{name}_rate_per_s") for name in ("offered", "achieved"))
    if refused:  # the schedule of those that had a connection
        offered = _rate(
            [record.scheduled_s for record in due if record.sent_s is not None or record.outcome is not Outcome.FAILED]
        )
    share, slip = _slip(seen)
    ttft = seen.summary.statistic("ttft_s", "p50")
    behind = offered is not None and sent is not None and sent < (1 - BEHIND_SHARE) * offered
    late = slip is not None and slip > TTFT_LEAST_S and slip > SLIP_SHARE * (ttft or 0.0)
    if not (behind or late):
        return
    parts = []
    if behind:
        parts.append(
            say("{sent} requests/s were sent of {offered} offered", sent=number(sent), offered=number(offered))
        )
    if late:
        parts.append(say("{share} left {slip} after it was due, or later", share=share, slip=seconds(slip)))
    left = sum(record.sent_s is None for record in due) - len(refused)
    if left:
        one, more = say("1 that was due was never sent"), say("{left:,} that were due were never sent", left=left)
        parts.append(one if left == 1 else more)
    words = say(", ").join(parts)
    why, do = _capped(load) if _was_full(seen, load) else _client_late(behind=behind)
    yield Finding(kind="behind_schedule", level="act", what=words[0].upper() + words[1:] + ".", why=why, do=do)


def _rate(moments: Sequence[float | None]) -> float | None:
    known = [moment for moment in moments if moment is not None]
    return per_second(len(known) - 1, max(known) - min(known)) if known else None


def _not_connected(refused: Sequence[RequestRecord], due: int) -> Finding:
    last = next((one.failure.message for one in reversed(refused) if one.failure), "")
    return Finding(
        kind="not_connected",
        level="act",
        what=say(
            "{refused} of {due} requests that were due could not be sent, as no connection was open to them: {last}",
            refused=f"{len(refused):,}",
            due=f"{due:,}",
            last=ended(last),
        ),
        why=say("So the server saw less than the rate, which is not the load generator's doing."),
        do=say("Look whether the server still runs and takes new connections, then measure again."),
    )


def _slip(seen: Evidence) -> tuple[str, float | None]:
    """How late the latest left, as far as there are enough requests to tell: one straggler of sixty is no share."""
    found = seen.summary.distributions.get("slip_s")
    shares = (("p99", say("one in 100")), ("p95", say("one in 20")), ("p50", say("half of all")))
    name, share = next(one for one in shares if found is None or not too_few(one[0], found.count))
    return share, seen.summary.statistic("slip_s", name)


def _was_full(seen: Evidence, load: Load) -> bool:
    most = seen.run.client.max_in_flight
    return most is not None and most >= load.most_in_flight


def _capped(load: Load) -> tuple[str, str]:
    why = say(
        "The cap of {cap:,} in flight held them back, so the server never saw the rate, and a latency from the send "
        "leaves out the wait before it.",
        cap=load.most_in_flight,
    )
    return why, say("Read the latencies from the schedule, raise the cap, or offer less.")


def _client_late(*, behind: bool) -> tuple[str, str]:
    do = say("Measure at a lower rate, or from a machine that does nothing else.")
    if behind:
        return say("The load generator was late, so the server saw less than the rate."), do
    why = say(
        "The load generator was late with them. The rate was kept, but they came closer together than the schedule "
        "has them, and a latency from the send leaves out the wait before it."
    )
    return why, say("Read the latencies from the schedule, or measure from a machine that does nothing else.")


def saturation_doubts(seen: Evidence) -> Iterator[Finding]:
    """A run that ended its sending because the server fell behind for good."""
    run = seen.run
    if run.stopped_by is not StoppedBy.SATURATION or run.state is not RunState.COMPLETED:
        return
    dues = [
        due for one in seen.measured if (due := one.sent_s if one.scheduled_s is None else one.scheduled_s) is not None
    ]
    after_s = max(dues) - min(dues) if dues else None
    words = "The server was saturated at {level}: requests in flight and TTFT kept rising, so the sending ended early."
    told: dict[str, object] = {"level": run.plan.load.words()}
    if run.plan.load.stages and after_s is not None:
        words = (
            "The server was saturated {after} into the stages, at {now:g} of {level}: requests in flight and TTFT kept "
            "rising."
        )
        told |= {"after": say("{s:.0f} s", s=after_s), "now": round(run.plan.load.level_at(after_s), 1)}
    elif after_s is not None:
        words = (
            "The server was saturated at {level}: requests in flight and TTFT kept rising, so the sending ended after "
            "{after}."
        )
        told |= {"after": say("{s:.0f} s", s=after_s)}
    yield Finding(
        kind="saturated",
        level="act",
        what=say(words, **told),
        why=say(
            "Its queue grows as long as this load lasts: the latencies tell how long it was measured, not how fast the "
            "server is."
        ),
        do=say("Compare lower levels; the requests/s that it answered here are about the most that it can serve."),
    )


def turned_away_doubts(seen: Evidence) -> Iterator[Finding]:
    """More than 1 % of answers were 429: the endpoint limits how much it is asked."""
    ended = [one for one in seen.measured if one.outcome in (Outcome.OK, Outcome.FAILED, Outcome.EMPTY)]
    away = [one.failure for one in ended if one.failure and one.failure.kind is FailureKind.HTTP_429]
    if not away or len(away) <= TURNED_AWAY_SHARE * len(ended):
        return
    asked = [failure.retry_after_s for failure in away if failure.retry_after_s is not None]
    retry = say("No Retry-After said how long to wait.")
    if asked:
        retry = say("{some} asked to wait, {wait} in the median (Retry-After){obeyed}.",
                    some=say("All") if len(asked) == len(away) else f"{len(asked):,}",
                    wait=seconds(middle(asked)), obeyed=_obeyed(seen))  # fmt: skip
    waits = seen.run.plan.load.restraint.wait_as_asked
    yield Finding(
        kind="turned_away",
        level="act",
        what=say(
            "{away} of {all} requests were turned away with 429 ({share}). {retry}",
            away=f"{len(away):,}",
            all=f"{len(ended):,}",
            share=percent(len(away) / len(ended)),
            retry=retry,
        ),
        why=say(
            "The endpoint limits how much it is asked, so its own speed was not what was measured. The time waited is "
            "in no latency, yet the load was less than planned."
        )
        if waits
        else say(
            "The endpoint limits how much it is asked, so its own speed was not what was measured. A measured run "
            "sends on and does not wait: a wait would change the load."
        ),
        do=say("Measure below the limit (keep it under so many requests or tokens a minute), or have it raised."),
    )


def _obeyed(seen: Evidence) -> str:
    """Whether that was obeyed: for how long nothing was sent, or how many requests left all the same."""
    waited = seen.run.client.waited_s
    if waited is not None:
        return say("; that was obeyed: nothing was sent for {s} in all", s=seconds(waited))
    spans = sorted(
        (one.ended_s, one.ended_s + one.failure.retry_after_s)
        for one in seen.measured
        if one.failure and one.failure.retry_after_s and one.ended_s is not None
    )
    begins, ends = [begin for begin, _ in spans], list(accumulate((end for _, end in spans), max))
    early = sum(
        ends[place - 1] > one.sent_s
        for one in seen.measured
        if one.sent_s is not None and (place := bisect_right(begins, one.sent_s))
    )
    return say("; that was not obeyed, {n:,} requests were sent before it was over", n=early) if early else ""


def held_doubts(seen: Evidence) -> Iterator[Finding]:
    """A load that was kept under limits a minute: what it could have been is not known."""
    held = seen.run.client.held_requests
    if not held:
        return
    yield Finding(
        kind="kept_under_limits",
        level="note",
        what=say("{held:,} of {all:,} requests left later, to keep under the limits a minute.",
                 held=held, all=len(seen.measured)),
        why=say("The load was that of the limits, not of the level: less in flight, fewer requests/s than asked for."),
        do=say("Read latencies as those of this load; offer less to see the level alone, or have the limits raised."),
    )  # fmt: skip
