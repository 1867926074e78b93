"""What a launch asks of every configuration: its loads, or the one that a search or a sweep moves. Reads no text."""

from dataclasses import dataclass, field, replace

from core.load import Load, Stage, Variable
from core.plan import Slo, Sweep
from core.restraint import Restraint
from core.search import Search
from core.trace import Trace


@dataclass(frozen=True, slots=True, kw_only=True)
class AskedLoad:
    """The loads of one configuration: as many as levels, or of a search or a sweep one, whose level is replaced."""

    loads: tuple[Load, ...]
    search: Search | None = None
    sweep: Sweep | None = None
    slo: Slo | None = None
    repeats: int = 1


@dataclass(frozen=True, slots=True, kw_only=True)
class Manner:
    """Everything of a load but its level.

    Attributes:
        burstiness, constant, max_in_flight, stop_when_saturated: Of an open loop; a closed one has no arrivals, and
            never more in flight than it keeps there.
    """

    requests: int | None
    duration_s: float | None
    warmup_requests: int
    burstiness: float = 1.0
    constant: bool = False
    max_in_flight: int | None = None
    stop_when_saturated: bool = False
    restraint: Restraint = field(default_factory=Restraint)

    def at(self, variable: Variable, level: float, stages: tuple[Stage, ...] = ()) -> Load:
        """The load of one level. Raises PlanError."""
        load = Load(
            concurrency=round(level) if variable == "concurrency" else None,
            rate=level if variable == "rate" else None,
            stages=stages,
            requests=self.requests,
            duration_s=self.duration_s,
            warmup_requests=self.warmup_requests,
            restraint=self.restraint,
        )
        if variable == "concurrency":
            return load
        return replace(
            load,
            burstiness=self.burstiness,
            constant=self.constant,
            max_in_flight=self.max_in_flight,
            stop_when_saturated=self.stop_when_saturated,
        )

    def along(self, stages: tuple[Stage, ...], *, to_their_end: bool) -> Load:
        """The load of rates one after the other; `to_their_end` lets it last as long as they do. Raises PlanError."""
        manner = (
            replace(self, requests=None, duration_s=sum(stage.seconds for stage in stages)) if to_their_end else self
        )
        return manner.at("rate", max(max(stage.start, stage.end) for stage in stages), stages)

    def replaying(self, trace: Trace, *, to_its_end: bool) -> Load:
        """The load of a trace; `to_its_end` sends all its requests. Raises PlanError."""
        return Load(
            concurrency=None,
            rate=trace.rate,
            trace=trace,
            requests=trace.rows if to_its_end else self.requests,
            duration_s=None if to_its_end else self.duration_s,
            warmup_requests=self.warmup_requests,
            max_in_flight=self.max_in_flight,
            stop_when_saturated=self.stop_when_saturated,
            restraint=self.restraint,
        )

    def searching(self, search: Search) -> AskedLoad:
        """What is asked where the most load that keeps a limit is looked for."""
        return AskedLoad(loads=(self.at(search.variable, search.low),), search=search, slo=search.slo)

    def sweeping(self, sweep: Sweep, slo: Slo | None) -> AskedLoad:
        """What is asked where the levels are found on the way."""
        return AskedLoad(loads=(self.at("concurrency", 1),), sweep=sweep, slo=slo)
