"""What a calibration found: rows of errors against known times, bars, and a verdict in words. Measures nothing."""

import dataclasses
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Self

from core.servers.pace import Pace
from core.words import say

TTFT_BAR_S = 0.003  # error in 99 of 100 requests
SPAN_BAR = 0.01  # of the true time from first to last token, in 99 of 100 requests
KEPT_BAR = 0.9  # of the tokens/s that the level offers
LAG_S = 0.001  # a loop later than this is worth a word
SERVER_LATE_S = 0.05  # a simulator later than this is at its own end
OTHERS_BUSY = 0.15  # of all cores: what else ran took enough to move the numbers
LASTS = say("about 20 seconds")  # all levels, on two cores
QUICK_LASTS = say("about 15 seconds")
ADVICE = "Close what else works on it and calibrate again."


@dataclass(frozen=True, slots=True, kw_only=True)
class Level:
    """One load: `streams` requests in flight, each answered at the pace of the model's name."""

    streams: int
    model: str = "gt-ttft50000-itl10000"
    requests: int = 16
    tokens: int = 100

    @property
    def offered_tokens_per_s(self) -> float:
        """Every stream back to back at its pace."""
        pace = Pace.of(self.model)
        return self.streams * self.tokens / ((pace.ttft_us + (self.tokens - 1) * pace.itl_us) / 1e6)


@dataclass(frozen=True, slots=True, kw_only=True)
class LevelResult:
    """What one level showed; times in seconds, None where no request could be compared.

    Attributes:
        kept_tokens_per_s: Output tokens of all requests / (last end - first sent).
        compared: Requests with a twin in the simulator's log; `missing` failed or have none.
        ttft_error_p50_s, ttft_error_p99_s: |reported - true| time to first token. True is what the simulator logged:
            its own delay is in both and cancels.
        span_error_p99_s: |reported - true| time from first to last token; `span_p50_s` is the true one's median.
        server_late_p99_s: How late the simulator itself sent a request's latest token.
        machine_busy_share: How busy all cores were, this measurement included; None where the system does not tell.
        others_busy_share: The same without the load generator and the simulator: what else ran on the machine.
        tries: 2 if the first attempt missed a bar; the better one is kept.
    """

    streams: int
    model: str
    offered_tokens_per_s: float
    kept_tokens_per_s: float
    compared: int
    missing: int
    ttft_error_p50_s: float | None
    ttft_error_p99_s: float | None
    span_error_p99_s: float | None
    span_p50_s: float | None
    server_late_p99_s: float | None
    loop_lag_p50_s: float | None
    loop_lag_p99_s: float | None
    cpu_share: float | None
    priority: str
    machine_busy_share: float | None = None
    others_busy_share: float | None = None
    tries: int = 1

    @property
    def misses(self) -> tuple[str, ...]:
        """Which bars it missed, in words; none of them is a good level."""
        found = []
        if not self.compared:
            found.append(say("no request could be compared"))
        elif self.missing:
            found.append(say("{n} requests failed", n=self.missing))
        if self.ttft_error_p99_s is not None and self.ttft_error_p99_s > TTFT_BAR_S:
            found.append(say("first tokens are off by {ms:.1f} ms", ms=self.ttft_error_p99_s * 1e3))
        if self.span_error_p99_s is not None and self.span_error_p99_s > SPAN_BAR * (self.span_p50_s or 0.0):
            found.append(say("decode times are off by {ms:.1f} ms", ms=self.span_error_p99_s * 1e3))
        if self.kept_share < KEPT_BAR and not self.server_limited:
            found.append(say("only {share:.0%} of the tokens came in time", share=self.kept_share))
        return tuple(found)

    @property
    def good(self) -> bool:
        """Whether every bar was met."""
        return not self.misses

    @property
    def kept_share(self) -> float:
        """Kept of the offered tokens/s."""
        return self.kept_tokens_per_s / self.offered_tokens_per_s

    @property
    def server_limited(self) -> bool:
        """Whether fewer tokens came because the simulator itself was late: the client may be better than this level."""
        return self.kept_share < KEPT_BAR and (self.server_late_p99_s or 0.0) > SERVER_LATE_S


@dataclass(frozen=True, slots=True, kw_only=True)
class Calibration:
    """What this machine can measure: one row a level, ascending, up to the first that missed a bar twice."""

    made_at: datetime
    levels: tuple[LevelResult, ...]
    environment: dict[str, Any]

    @property
    def best(self) -> LevelResult | None:
        """The good level with most tokens/s; None if there is none."""
        return max((row for row in self.levels if row.good), key=lambda row: row.kept_tokens_per_s, default=None)

    @property
    def tokens_per_s(self) -> float | None:
        """Tokens/s this machine measures within the bars."""
        return self.best.kept_tokens_per_s if self.best else None

    @property
    def loop_lag_p99_s(self) -> float | None:
        """The client's own delay at the best level, else at the first."""
        row = self.best or next(iter(self.levels), None)
        return row.loop_lag_p99_s if row else None

    @property
    def doubt(self) -> str:
        """Why these numbers may say less than this machine can do: a sentence, "" if nothing else ran on it."""
        shares = [row.others_busy_share for row in self.levels if row.others_busy_share is not None]
        if not shares or max(shares) < OTHERS_BUSY:
            return ""
        return say(
            "Made while other work kept this machine {share:.0f} % busy: repeat it when quiet.", share=max(shares) * 100
        )

    @property
    def verdict(self) -> str:
        """Two or three sentences for people."""
        sentences = [self._headline(), self._limit()]
        lag_s = self.loop_lag_p99_s
        if lag_s is not None and lag_s > LAG_S:
            sentences.append(say("The load generator's own loop was up to {ms:.1f} ms late.", ms=lag_s * 1e3))
        return " ".join(sentence for sentence in sentences if sentence)

    def _headline(self) -> str:
        best = self.best
        if best is None:
            reasons = "; ".join(self.levels[0].misses)
            return say("This machine does not measure exactly now: {reasons}. {advice}", reasons=reasons, advice=ADVICE)
        return say(
            "This machine measures {kept:,.0f} tokens/s in {streams}: in 99 of 100 requests the first token"
            " is right to {ttft:.2f} ms and the decode time to {span:.2f} ms.",
            kept=best.kept_tokens_per_s, streams=in_streams(best.streams), ttft=(best.ttft_error_p99_s or 0.0) * 1e3,
            span=(best.span_error_p99_s or 0.0) * 1e3,
        )  # fmt: skip

    def _limit(self) -> str:
        last = self.levels[-1]
        if last.server_limited:
            return say(
                "At {streams} the simulator itself was late: the limit may be higher.", streams=in_streams(last.streams)
            )
        if last.good or self.best is None:
            return ""
        return say("At {streams} {reasons}.", streams=in_streams(last.streams), reasons="; ".join(last.misses))

    def to_dict(self) -> dict[str, Any]:
        """A JSON object; `from_dict` reads it back."""
        return {**dataclasses.asdict(self), "made_at": self.made_at.isoformat()}

    @classmethod
    def from_dict(cls, found: Mapping[str, Any]) -> Self:
        """Read what `to_dict` wrote; unknown keys are left out."""
        names = {spec.name for spec in dataclasses.fields(LevelResult)}
        rows = [{key: value for key, value in row.items() if key in names} for row in found["levels"]]
        return cls(
            made_at=datetime.fromisoformat(found["made_at"]),
            levels=tuple(LevelResult(**row) for row in rows),
            environment=dict(found.get("environment", {})),
        )


def in_streams(streams: int) -> str:
    """`1 stream`, `16 streams`."""
    return say("1 stream") if streams == 1 else say("{n} streams", n=streams)
