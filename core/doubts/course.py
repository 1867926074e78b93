"""Doubts about how the run went: failures, an early end, changed parameters, a simulator. Knows counts and states."""

from collections import Counter
from collections.abc import Iterator
from urllib.parse import urlsplit

from core.doubts.client import late_for_ttft
from core.doubts.evidence import Evidence
from core.doubts.finding import Finding
from core.endpoint import SIMULATED
from core.hosts import is_this_machine
from core.quantities import percent, seconds
from core.records import Failure, FailureKind, Outcome
from core.redaction import text
from core.run import RunState, StoppedBy
from core.summary import unanswered
from core.words import ended, say

FAILED_SHARE = 0.01
BUSY_SHARE = 0.95
LONGEST_QUOTE = 200


def _worst(seen: Evidence) -> tuple[Failure, int] | None:
    failures = [r.failure for r in seen.measured if r.failure and r.outcome in (Outcome.FAILED, Outcome.EMPTY)]
    if not failures:
        return None
    kind, count = Counter(failure.kind for failure in failures).most_common(1)[0]
    return next(failure for failure in failures if failure.kind is kind), count


def _models_there(seen: Evidence, failure: Failure) -> str:
    """The models that the server has, which it was asked for once a request of the run had found nothing."""
    server = seen.run.environment.get("server")
    names = server.get("models") if isinstance(server, dict) else None
    if failure.kind is not FailureKind.HTTP_404 or not isinstance(names, str):
        return ""
    return " " + say("The server has: {models}.", models=text(names))


def failure_doubts(seen: Evidence) -> Iterator[Finding]:
    """Failures above 1 %, or nothing but failures."""
    counts = seen.summary.counts
    lost = unanswered(counts)
    ended = lost + counts.get("ok", 0)
    if lost <= FAILED_SHARE * ended:
        return
    what = say(
        "{lost} of {all} requests had no usable answer ({share}).",
        lost=f"{lost:,}",
        all=f"{ended:,}",
        share=percent(lost / ended),
    )
    if worst := _worst(seen):
        failure, count = worst
        quote = text(failure.message.strip())[:LONGEST_QUOTE]
        what += " " + say("Most often {kind}, {count} times: “{quote}”", kind=failure.kind, count=count, quote=quote)
        what += _models_there(seen, failure)
    if lost == ended:
        yield Finding(
            kind="no_success",
            level="stop",
            what=what,
            why=say("No request succeeded, so there is no speed to speak of."),
            do=say("Probe the endpoint: it says what is wrong and what to try."),
        )
        return
    yield Finding(
        kind="failures",
        level="stop" if lost > ended / 2 else "act",
        degree=lost / ended,
        what=what,
        why=say("Latencies are those of the others only, and a server that turns requests away looks fast."),
        do=say("Look at the errors below, then measure again with a load that the server accepts."),
    )


def state_doubts(seen: Evidence) -> Iterator[Finding]:
    """A run that did not come to its planned end."""
    run, ok = seen.run, seen.summary.counts.get("ok", 0)
    stopped = {
        StoppedBy.ERRORS: say("The run stopped itself because too many requests failed."),
        StoppedBy.TOKENS: say("The run stopped at its cap on output tokens."),
        StoppedBy.SPEND: say("The run stopped at its cap on spend."),
    }
    kept = say("Its numbers stand on {count} successful requests, those that ended before.", count=f"{ok:,}")
    if run.state is RunState.FAILED:
        message = run.message or (run.preflight and run.preflight.failure_message) or say("No reason was recorded.")
        yield Finding(kind="run_failed", level="stop", what=say("The run failed."), why=text(message))
    elif run.state is RunState.INTERRUPTED:
        yield Finding(
            kind="interrupted",
            level="act",
            what=say("The app ended in the middle of this run."),
            why=kept,
            do=say("Measure again for a whole run."),
        )
    elif run.state is RunState.CANCELLED:
        yield Finding(
            kind="cancelled",
            level="note",
            what=say("The run was cancelled before its end."),
            why=kept,
            do=say("Measure again for a whole run."),
        )
    elif run.stopped_by in stopped:
        errors = run.stopped_by is StoppedBy.ERRORS
        yield Finding(
            kind="stopped_early",
            level="stop" if errors else "note",
            what=stopped[run.stopped_by],
            why=kept,
            do=say("Read the errors, mend the endpoint, and measure again.") if errors else "",
        )


def busy_doubts(seen: Evidence) -> Iterator[Finding]:
    """A machine without idle time on which the server runs, too: what else ran there slowed it, and not evenly."""
    found = busy(seen.run.client.machine_busy_share, seen.run.plan.configuration.endpoint.base_url)
    if found is not None:
        yield found


def busy(share: float | None, base_url: str) -> Finding | None:
    """The same of a run that may still go on: how busy the machine was in it so far."""
    host = urlsplit(base_url).hostname or ""
    if share is None or share < BUSY_SHARE or not is_this_machine(host):
        return None
    return Finding(
        kind="machine_busy",
        level="act",
        what=say("This machine was {share} busy, and the server runs on it, too.", share=percent(share)),
        why=say("Whatever else ran took time from the server, and not the same from run to run."),
        do=say("If that was not the server's own work, stop it and measure all runs of the comparison again."),
    )


def preflight_doubts(seen: Evidence) -> Iterator[Finding]:
    """What had to be changed before the run, and a server that goes on when its client has left."""
    preflight = seen.run.preflight
    if preflight is None:
        return
    if preflight.changes:
        count = len(preflight.changes)
        once = say("One parameter of the request was changed before the run.")
        more = say("{count} parameters of the request were changed before the run.", count=count)
        yield Finding(
            kind="parameters_changed",
            level="note",
            what=once if count == 1 else more,
            why=" ".join([*map(_as_sentence, preflight.changes), say("Every measured request was sent so.")]),
        )
    if preflight.stops_on_disconnect is False:
        yield Finding(
            kind="goes_on_generating",
            level="note",
            what=say("The server goes on generating after its client has left."),
            why=say("Requests that time out or are cancelled still load it, and slow the ones after them."),
        )


def _as_sentence(change: str) -> str:
    return ended(text(change.strip()))


def simulated_doubts(seen: Evidence) -> Iterator[Finding]:
    """Numbers of the simulator, not of a model."""
    if seen.run.plan.configuration.endpoint.demo == SIMULATED:
        yield Finding(
            kind="simulated",
            level="note",
            what=say("The endpoint is simulated: it sends tokens at a fixed pace and runs no model."),
            why=say("Its numbers show how well this machine measures, never how fast a model is."),
        )
        yield from _simulator_late(seen)


def _simulator_late(seen: Evidence) -> Iterator[Finding]:
    server = seen.run.environment.get("server")
    late = server.get("late_p99_s") if isinstance(server, dict) else None
    if isinstance(late, float) and late_for_ttft(late, seen.summary.statistic("ttft_s", "p50")):
        yield Finding(
            kind="simulator_late",
            level="act",
            what=say("The simulator itself was {late} late (p99 of its tokens).", late=seconds(late)),
            why=say("This run tells about the machine, not about the client."),
            do=say("Measure with less load, or while the machine has more idle time."),
        )
