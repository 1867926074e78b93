"""How a load keeps to what an endpoint allows: limits a minute, and waiting when it is asked to. Frozen; no clock."""

from dataclasses import dataclass

from core.plan_checks import flag, whole
from core.words import say

MOST_PER_MINUTE = 10**9


@dataclass(frozen=True, slots=True, kw_only=True)
class Restraint:
    """What holds a load back; as it is by default, nothing does.

    Attributes:
        requests_per_minute, tokens_per_minute: Never more; tokens are those of prompts and of answers as asked for.
        as_told: Limits that are not given are taken from the endpoint's own headers, as the preflight read them.
        wait_as_asked: After an answer with Retry-After nothing is sent until its time is over.
    """

    requests_per_minute: int | None = None
    tokens_per_minute: int | None = None
    as_told: bool = False
    wait_as_asked: bool = False

    def __post_init__(self) -> None:
        """Refuse limits that allow nothing."""
        if self.requests_per_minute is not None:
            whole("Requests per minute", self.requests_per_minute, 1, MOST_PER_MINUTE)
        if self.tokens_per_minute is not None:
            whole("Tokens per minute", self.tokens_per_minute, 1, MOST_PER_MINUTE)
        flag("Keep under the limits told", self.as_told)
        flag("Wait as asked", self.wait_as_asked)

    @property
    def words(self) -> str:
        """It as people read it; "" if nothing is held back."""
        parts = []
        if self.requests_per_minute is not None:
            parts.append(say("at most {n:,} requests/min", n=self.requests_per_minute))
        if self.tokens_per_minute is not None:
            parts.append(say("at most {n:,} tokens/min", n=self.tokens_per_minute))
        if self.as_told:
            parts.append(say("under the limits that the endpoint tells"))
        if self.wait_as_asked:
            parts.append(say("waits as asked"))
        return ", ".join(parts)
