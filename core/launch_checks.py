"""What should be looked at before a launch: endpoints, models, this machine, samples. Sentences only; asks nothing."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from core.enough import without_a_verdict
from core.estimate import Estimate
from core.percentile import FOR_P99, too_few
from core.plan import RunPlan
from core.several import some
from core.shortening import cut
from core.words import say

FRESH = timedelta(minutes=15)
FIRM_P99 = 500
NAMED, LONGEST_NAME = 4, 48
STREAM_LENGTHS = 3  # requests a stream, below which start and end weigh more than the middle


@dataclass(frozen=True, slots=True, kw_only=True)
class Check:
    """One thing worth knowing before the launch; read like a finding."""

    level: str
    what: str
    why: str = ""
    do: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Seen:
    """What is known of an endpoint from its last probe.

    Attributes:
        at: When it was probed, None if never.
        ready: Whether it answered as a benchmark needs it.
        what: The outcome in one sentence.
        models: All that the endpoint listed; empty if it listed none, or more than were kept.
    """

    name: str
    at: datetime | None = None
    ready: bool = False
    what: str = ""
    models: tuple[str, ...] = ()


def checks(
    plans: Sequence[RunPlan],
    expected: Estimate,
    *,
    seen: Sequence[Seen],
    kept_tokens_per_s: float | None,
    now: datetime,
) -> tuple[Check, ...]:
    """In words: do the endpoints answer and know the models, does this machine keep up, do the samples suffice."""
    return (
        *_endpoint_checks(seen, now),
        *_model_checks(plans, seen),
        _machine_check(expected, kept_tokens_per_s),
        *_sample_checks(plans),
    )


def _endpoint_checks(seen: Sequence[Seen], now: datetime) -> list[Check]:
    found, fresh = [], 0
    for endpoint in seen:
        if endpoint.at is None:
            found.append(
                Check(
                    level="note",
                    what=say("{name} was never probed.", name=endpoint.name),
                    do=say("Each run asks it once before it starts."),
                )
            )
        elif not endpoint.ready:
            found.append(
                Check(
                    level="act",
                    what=say("{name} did not answer its last probe as a benchmark needs.", name=endpoint.name),
                    do=endpoint.what,
                )
            )
        elif now - endpoint.at <= FRESH:
            fresh += 1
        else:
            found.append(Check(level="note", what=say("{name} was last probed a while ago.", name=endpoint.name)))
    if fresh:
        ready = say("1 endpoint answered within the last 15 min")
        if fresh > 1:
            ready = say("{n} endpoints answered within the last 15 min", n=fresh)
        found.insert(0, Check(level="ok", what=ready))
    return found


def _model_checks(plans: Sequence[RunPlan], seen: Sequence[Seen]) -> Iterator[Check]:
    """A model that its endpoint does not list: its requests fail most likely, though a list may be incomplete."""
    for endpoint in seen:
        asked = dict.fromkeys(
            plan.configuration.model for plan in plans if plan.configuration.endpoint.name == endpoint.name
        )
        unlisted = [name for name in asked if not is_listed(name, endpoint.models)]
        if not endpoint.models or not unlisted:
            continue
        yield Check(
            level="act",
            what=say(
                "{name} lists {models}; not {unlisted}.",
                name=endpoint.name,
                models=_some(endpoint.models),
                unlisted=_some([f"“{name}”" for name in unlisted]),
            ),
            do=say(
                "Edit the configuration, or probe again if the model was loaded since. It can be launched as it is."
            ),
        )


def is_listed(model: str, models: Sequence[str]) -> bool:
    """Whether a server that lists these models knows this one; Ollama adds a tag to a name without one."""
    return model in models or f"{model}:latest" in models


def _some(names: Sequence[str]) -> str:
    return some([cut(name, LONGEST_NAME) for name in names], NAMED)


def _machine_check(expected: Estimate, kept: float | None) -> Check:
    need = f"{expected.peak_tokens_per_s:,.0f}"
    if kept is None:
        do = say("Up to {need} tokens/s are expected, as earlier runs were.", need=need)
        if not expected.known:
            do = say("Up to {need} tokens/s are assumed: no earlier run tells the pace.", need=need)
        return Check(level="note", what=say("This machine is not calibrated"), do=do)
    if kept >= expected.peak_tokens_per_s:
        return Check(
            level="ok",
            what=say("This machine keeps {kept} tokens/s; you need {need}", kept=f"{kept:,.0f}", need=need)
            if expected.known
            else say("This machine keeps {kept} tokens/s; {need} are assumed", kept=f"{kept:,.0f}", need=need),
        )
    return Check(
        level="act",
        what=say(
            "This machine keeps {kept} tokens/s and {need} are {how}",
            kept=f"{kept:,.0f}",
            need=need,
            how=say("expected") if expected.known else say("assumed"),
        ),
        do=say("Above that its own delay shows in the numbers: choose fewer in flight."),
    )


def _sample_checks(plans: Sequence[RunPlan]) -> list[Check]:
    found = []
    counted = [plan.load for plan in plans if plan.load.requests is not None]
    fewest = min((load.requests or 0 for load in counted), default=None)
    if fewest is not None:
        tail = max(1, fewest // 100)
        if too_few("p99", fewest):
            what = say("{n} requests are too few for a p99, which is shown grey", n=fewest)
            found.append(
                Check(
                    level="act",
                    what=what,
                    do=say("{few} make it readable, {firm} make it firm.", few=FOR_P99, firm=FIRM_P99),
                )
            )
        elif fewest < FIRM_P99:
            sample = say("1 sample") if tail == 1 else say("{tail} samples", tail=tail)
            what = say("{n} requests give p99 from {sample}", n=fewest, sample=sample)
            found.append(Check(level="act", what=what, do=say("p99 needs {firm} to be firm", firm=FIRM_P99)))
        else:
            found.append(Check(level="ok", what=say("{n} requests a level make the p99 firm", n=f"{fewest:,}")))
    scarce = without_a_verdict(plans)
    if scarce is not None:
        load, asked, wanted = scarce
        what = say("{n} requests at {c} in flight are too few for a verdict", n=asked, c=load.concurrency)
        found.append(Check(level="act", what=what, do=say("One comes from {n} on.", n=wanted)))
    short = [load for load in counted if (load.requests or 0) < STREAM_LENGTHS * (load.concurrency or 0)]
    if short:
        worst = max(short, key=lambda load: (load.concurrency or 0) / (load.requests or 1))
        what = say("{n} requests at {c} in flight", n=worst.requests, c=worst.concurrency)
        found.append(Check(level="act", what=what, do=say("Fewer than 3 a stream: start and end weigh most.")))
    return found
