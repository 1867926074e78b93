"""Whether a run keeps its SLO. Knows the statistics of one run; never chooses a load."""

from dataclasses import dataclass

from core.metrics import METRICS
from core.slo import ONLY_STREAMED, SUCCESS_RATE, Slo, SloLimit
from core.summary import Summary
from core.words import say

COUNTED = ("tpot_s", "decode_tps", "e2e_tps")  # need the server's token count


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


def unknown(summary: Summary, slo: Slo) -> str:
    """Which limit cannot be judged although requests were answered, why, and what to do; "" if each can."""
    missing = next((judged.limit for judged in judge(summary, slo) if judged.value is None), None)
    if missing is None or not summary.counts.get("ok"):
        return ""
    why, do = _why_unknown(summary, missing.metric)
    return say(
        "{limit} cannot be judged: {metric} is unknown, as {why}. {do}",
        limit=str(missing),
        metric=METRICS[missing.metric].title,
        why=why,
        do=do,
    )


def _why_unknown(summary: Summary, metric: str) -> tuple[str, str]:
    other = say("Limit another metric.")
    if metric in COUNTED and "output_tokens" not in summary.distributions:
        do = say("Let the server send usage (stream_options.include_usage), or limit another metric.")
        return say("the server counts no tokens"), do
    if metric in ONLY_STREAMED and "ttft_s" not in summary.distributions:
        return say("no answer came as a stream"), say("Let the server stream its answers, or limit another metric.")
    if metric in COUNTED and (summary.statistic("output_tokens", "max") or 0) < 2:
        return say("no answer had two tokens"), say("Ask for longer answers, or limit another metric.")
    if metric in COUNTED:
        return say("each answer came all at once"), say("Let the server send each token as it comes, or limit E2E.")
    return say("no answer had such a value"), other
