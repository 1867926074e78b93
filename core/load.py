"""How it is asked: closed or open loop, at which level, for how long. Frozen values that refuse nonsense; no clock."""

from dataclasses import dataclass, field
from math import log
from typing import Literal

from core.base_url import require
from core.plan_checks import above_zero, flag, number, whole
from core.restraint import Restraint
from core.trace import Trace
from core.words import say

Variable = Literal["concurrency", "rate"]
Shape = Literal["linear", "exponential"]
MOST_IN_FLIGHT = 8192
LEAST_PER_S, MOST_PER_S = 0.001, 100_000.0
MOST_STAGES = 100
SHAPES: tuple[Shape, ...] = ("linear", "exponential")


@dataclass(frozen=True, slots=True, kw_only=True)
class Stage:
    """A stretch of time in which the level goes from one value to another.

    Attributes:
        seconds: How long it lasts.
        start, end: The level at its begin and its end: requests/s, or requests in flight. Equal ones hold it.
        shape: How it gets there; "exponential" multiplies by the same factor each second.
    """

    seconds: float
    start: float
    end: float
    shape: Shape = "linear"

    def __post_init__(self) -> None:
        """Refuse stages without a time, or at no level."""
        above_zero("Stage seconds", self.seconds, 86_400)
        above_zero("Stage level", self.start, MOST_PER_S)
        above_zero("Stage level", self.end, MOST_PER_S)
        require(self.shape in SHAPES, "Stage shape is {shape}: choose linear or exponential.", shape=self.shape)

    @property
    def words(self) -> str:
        """It as people read it: `30 s at 5..50 linear`."""
        if self.start == self.end:
            return say("{s:g} s at {a:g}", s=self.seconds, a=self.start)
        return say("{s:g} s at {a:g}..{b:g} {shape}", s=self.seconds, a=self.start, b=self.end, shape=self.shape)

    def level(self, share: float) -> float:
        """The level when this share of its time, 0 to 1, has passed."""
        if self.shape == "exponential":
            return float(self.start * (self.end / self.start) ** share)
        return self.start + (self.end - self.start) * share

    def reaches(self, level: float, from_s: float) -> float | None:
        """Seconds into the stage, from `from_s` on, at which its level is at least this; None if it never is."""
        if self.level(from_s / self.seconds) >= level:
            return from_s
        if self.end <= self.start or self.end < level:
            return None
        if self.shape == "exponential":
            return self.seconds * log(level / self.start) / log(self.end / self.start)
        return self.seconds * (level - self.start) / (self.end - self.start)


@dataclass(frozen=True, slots=True, kw_only=True)
class Load:
    """How it is asked: a closed loop keeps `concurrency` requests in flight, an open one sends `rate` a second.

    Attributes:
        concurrency: Closed loop: requests kept in flight. None in open loop.
        rate: Open loop: requests/s, the nominal rate. None in closed loop.
        burstiness: Open loop: the shape k of gamma-distributed gaps; 1 is Poisson, below 1 burstier.
        constant: Open loop: all gaps alike, as with an infinite k, which JSON cannot write.
        max_in_flight: Open loop: what is due waits while so many are in flight, and its slip tells. None is no cap.
        stages: How the level changes from the first measured request on; the end of the last one holds from then on.
            The level that names the run is then the highest of them.
        requests: Measured requests; None if `duration_s` ends the run.
        duration_s: Seconds of sending; None if `requests` ends the run.
        warmup_requests: Sent before, with other prompts, outside every statistic.
        stop_when_saturated: End the sending once requests in flight and TTFT both keep rising.
        trace: Open loop: requests leave when those of this trace came, with their lengths; the rate is then its mean.
        restraint: Limits a minute, and whether an answer that asks to wait is obeyed.
    """

    concurrency: int | None = 1
    rate: float | None = None
    burstiness: float = 1.0
    constant: bool = False
    max_in_flight: int | None = None
    stages: tuple[Stage, ...] = ()
    requests: int | None = 20
    duration_s: float | None = None
    warmup_requests: int = 1
    stop_when_saturated: bool = False
    trace: Trace | None = None
    restraint: Restraint = field(default_factory=Restraint)

    def __post_init__(self) -> None:
        """Refuse a load that never ends or never starts."""
        require(
            (self.concurrency is None) != (self.rate is None),
            "Give either requests in flight or requests per second, not both and not neither.",
        )
        if self.concurrency is not None:
            whole("Concurrency", self.concurrency, 1, MOST_IN_FLIGHT)
            require(self.max_in_flight is None, "A cap in flight belongs to a rate: leave it out of a closed loop.")
            require(
                not self.stop_when_saturated,
                "A closed loop keeps its requests in flight: leave out its stop when saturated, which is a rate's.",
            )
        if self.rate is not None:
            number("Rate", self.rate, LEAST_PER_S, MOST_PER_S)
        number("Burstiness", self.burstiness, 0.01, 1000)
        flag("Constant", self.constant)
        if self.max_in_flight is not None:
            whole("Most in flight", self.max_in_flight, 1, MOST_IN_FLIGHT)
        self._check_stages()
        require(
            (self.requests is None) != (self.duration_s is None),
            "Give either requests or seconds, not both and not neither.",
        )
        if self.requests is not None:
            whole("Requests", self.requests, 1, 1_000_000)
        if self.duration_s is not None:
            number("Seconds", self.duration_s, 0.1, 86_400)
        whole("Warm-up requests", self.warmup_requests, 0, 10_000)
        flag("Stop when saturated", self.stop_when_saturated)
        if self.trace is not None:
            self._check_trace(self.trace)

    def _check_trace(self, trace: Trace) -> None:
        require(
            self.rate == trace.rate,
            "The rate is {rate} and that of the trace {its:g} requests/s: make them equal.",
            rate=self.rate,
            its=trace.rate,
        )
        plain = not self.stages and not self.constant and self.burstiness == 1
        require(plain, "A trace has its own arrivals: leave stages and burstiness out.")
        require(
            self.requests is None or self.requests <= trace.rows,
            "{requests:,} requests are asked for and the trace has {rows:,}: give at most so many.",
            requests=self.requests,
            rows=trace.rows,
        )

    def _check_stages(self) -> None:
        require(len(self.stages) <= MOST_STAGES, "More than {most} stages: give fewer.", most=MOST_STAGES)
        if self.stages:
            highest = max(max(stage.start, stage.end) for stage in self.stages)
            require(
                highest == self.value,
                "The highest stage is at {highest:g} and the level at {value:g}: make them equal.",
                highest=highest,
                value=self.value,
            )

    @property
    def variable(self) -> Variable:
        """What the level counts: requests in flight of a closed loop, or requests/s of an open one."""
        return "rate" if self.concurrency is None else "concurrency"

    @property
    def value(self) -> float:
        """The level: requests in flight, or requests/s."""
        level = self.rate if self.concurrency is None else self.concurrency
        assert level is not None
        return level

    @property
    def most_in_flight(self) -> int:
        """How many requests may be on their way at once, at most."""
        return self.concurrency or self.max_in_flight or MOST_IN_FLIGHT

    def level_at(self, at_s: float) -> float:
        """The level so many seconds after the first measured request was due."""
        for stage in self.stages:
            if at_s < stage.seconds:
                return stage.level(at_s / stage.seconds)
            at_s -= stage.seconds
        return self.stages[-1].end if self.stages else self.value

    def reaches(self, level: float, from_s: float) -> float | None:
        """The first moment from `from_s` on at which the level is at least this; None if it never is again."""
        begin_s = 0.0
        for stage in self.stages:
            if from_s < begin_s + stage.seconds:
                found = stage.reaches(level, max(0.0, from_s - begin_s))
                if found is not None:
                    return max(from_s, begin_s + found)
            begin_s += stage.seconds
        return max(from_s, begin_s) if self.level_at(begin_s) >= level else None

    def arrivals_words(self) -> str:
        """How requests of an open loop arrive; "" in a closed one."""
        if self.variable == "concurrency":
            return ""
        if self.trace is not None:
            return self.trace.words
        if self.constant:
            return say("evenly spaced")
        return say("at random (Poisson)") if self.burstiness == 1 else say("burstiness {k:g}", k=self.burstiness)

    def words(self) -> str:
        """The level as people read it: `4 in flight`, `12.5 requests/s`, `2 requests/s, trace chat.csv`."""
        level = level_words(self.variable, self.value)
        return level if self.trace is None else say("{level}, {trace}", level=level, trace=self.trace.words)


def level_words(variable: Variable, value: float) -> str:
    """A level as people read it: `4 in flight`, `12.5 requests/s`."""
    if variable == "concurrency":
        return say("{n:,} in flight", n=round(value))
    written = f"{value:,g}"
    return say("{rate} request/s", rate=written) if written == "1" else say("{rate} requests/s", rate=written)
