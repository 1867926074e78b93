"""A service level objective: limits that a run's numbers have to keep. Only the values; who keeps them is not here."""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from reprlib import repr as shortened
from typing import Literal, Self

from core.base_url import PlanError, require
from core.plan_checks import number
from core.words import say

Relation = Literal["<", "<=", ">", ">="]
RELATIONS: tuple[Relation, ...] = ("<", "<=", ">", ">=")
SUCCESS_RATE = "success_rate"
LATENCIES = ("ttft_s", "ttfa_s", "tpot_s", "e2e_s")
SPEEDS = ("decode_tps", "e2e_tps")
ONLY_STREAMED = ("ttft_s", "ttfa_s", "tpot_s", "decode_tps")
STATISTICS = ("mean", "min", "p50", "p90", "p95", "p99", "max")
MOST_LIMITS = 10
WRITTEN = re.compile(r"\s*([a-z_0-9]+)(?:\.([a-z0-9]+))?\s*(<=|>=|<|>)\s*([0-9.eE+-]+)\s*(ms|s|%)?\s*")
EXAMPLE = "ttft_s.p95 < 0.5"


@dataclass(frozen=True, slots=True, kw_only=True)
class SloLimit:
    """One limit, such as TTFT p95 < 0.5 s.

    Attributes:
        metric: A metric key with one value a request, or "success_rate" (a share, 0 to 1).
        statistic: Which statistic of a run must keep it; "" for the success rate.
        value: In the metric's unit: seconds, or tokens/s. For goodput each single request has to keep it.
    """

    metric: str
    statistic: str
    relation: Relation
    value: float

    def __post_init__(self) -> None:
        """Refuse limits on what is not measured, and those the wrong way round."""
        known = (*LATENCIES, *SPEEDS, SUCCESS_RATE)
        require(
            self.metric in known,
            "An SLO cannot limit {metric}: choose one of {known}.",
            metric=shortened(self.metric).strip("'\""),
            known=", ".join(known),
        )
        if self.metric == SUCCESS_RATE:
            require(not self.statistic, "The success rate has no percentile: write success_rate > 0.99.")
            number("Success rate", self.value, 0, 1)
        else:
            require(
                self.statistic in STATISTICS,
                "The SLO on {metric} names the statistic {statistic!r}: choose one of {known}.",
                metric=self.metric,
                statistic=self.statistic,
                known=", ".join(STATISTICS),
            )
            number("SLO limit", self.value, 1e-6, 1e6)
        wanted = "<" if self.metric in LATENCIES else ">"
        require(
            self.relation in (wanted, wanted + "="),
            "An SLO on {metric} says that it is {wrong} a value: write {metric} {wanted} {value:g}.",
            metric=self.name,
            wrong=self.relation,
            wanted=wanted,
            value=self.value,
        )

    @property
    def name(self) -> str:
        """`ttft_s.p95`, `success_rate`."""
        return f"{self.metric}.{self.statistic}" if self.statistic else self.metric

    def __str__(self) -> str:
        """As `read` reads it."""
        return f"{self.name} {self.relation} {self.value:g}"

    @classmethod
    def read(cls, written: str) -> Self:
        """The limit written as `ttft_s.p95 < 0.5`, `e2e_s.p99 <= 8 s` or `success_rate > 99 %`. Raises PlanError."""
        found = WRITTEN.fullmatch(written)
        if found is None:
            raise PlanError(say("The SLO {written!r} is not understood: write it like {example}.",
                                written=written[:80], example=EXAMPLE))  # fmt: skip
        metric, statistic, sign, value, unit = found.groups()
        relation: Relation = next(one for one in RELATIONS if one == sign)
        try:
            amount = float(value)
        except ValueError:
            raise PlanError(say("The SLO {written!r} has no number: write it like {example}.",
                                written=written[:80], example=EXAMPLE)) from None  # fmt: skip
        fitting = {"": True, "%": metric == SUCCESS_RATE}.get(unit or "", metric in LATENCIES)
        require(
            fitting,
            "The SLO {written!r} has a unit that does not belong to {metric}: leave it out.",
            written=written[:80],
            metric=metric,
        )
        scale = {"ms": 1e-3, "%": 1e-2}.get(unit or "", 1.0)
        return cls(metric=metric, statistic=statistic or "", relation=relation, value=amount * scale)

    def keeps(self, value: float | None) -> bool:
        """Whether a value keeps the limit; one that does not exist does not."""
        if value is None:
            return False
        return {
            "<": value < self.value, "<=": value <= self.value, ">": value > self.value, ">=": value >= self.value,
        }[self.relation]  # fmt: skip


@dataclass(frozen=True, slots=True, kw_only=True)
class Slo:
    """All limits that have to hold at once."""

    limits: tuple[SloLimit, ...]

    def __post_init__(self) -> None:
        """Refuse an SLO without a limit, or with two on the same number."""
        require(0 < len(self.limits) <= MOST_LIMITS, "An SLO has 1 to {most} limits.", most=MOST_LIMITS)
        names = [limit.name for limit in self.limits]
        require(len(set(names)) == len(names), "The SLO limits the same number twice: leave one out.")

    @classmethod
    def read(cls, written: "tuple[str, ...] | list[str]") -> Self:
        """Of several written limits. Raises PlanError."""
        return cls(limits=tuple(SloLimit.read(one) for one in written))

    def require_measurable(self, *, streamed: bool) -> None:
        """Refuse limits on what an answer that comes whole does not have. Raises PlanError."""
        never = [limit.name for limit in self.limits if limit.metric in ONLY_STREAMED]
        require(
            streamed or not never,
            "Answers that are not streamed have no {names}: stream them, or leave that limit out.",
            names=", ".join(never),
        )

    def __str__(self) -> str:
        """All limits, with commas."""
        return ", ".join(map(str, self.limits))


def common_limit(slos: Iterable[Slo | None], metric: str, statistic: str) -> float | None:
    """The limit on this statistic that is everybody's who has one; None where there is none, or where two differ."""
    values = {
        limit.value
        for slo in slos
        for limit in (slo.limits if slo is not None else ())
        if (limit.metric, limit.statistic) == (metric, statistic)
    }
    return values.pop() if len(values) == 1 else None
