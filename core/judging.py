"""Whether a run keeps its SLO. Knows the statistics of one run; never chooses a load."""

from dataclasses import dataclass

from core.slo import SUCCESS_RATE, Slo, SloLimit
from core.summary import Summary


@dataclass(frozen=True, slots=True, kw_only=True)
class Judged:
    """One limit and what the run had to show; None where it has no such number."""

    limit: SloLimit
    value: float | None

    @property
    def kept(self) -> bool:
        """Whether the limit holds."""
        return self.limit.keeps(self.value)


def judge(summary: Summary, slo: Slo) -> tuple[Judged, ...]:
    """Every limit beside the run's number."""
    return tuple(
        Judged(
            limit=limit,
            value=summary.success_rate
            if limit.metric == SUCCESS_RATE
            else summary.statistic(limit.metric, limit.statistic),
        )
        for limit in slo.limits
    )


def meets(summary: Summary, slo: Slo) -> bool:
    """Whether all limits hold."""
    return all(judged.kept for judged in judge(summary, slo))
