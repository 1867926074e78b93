"""A probe's result while it grows: checks, facts, the first thing that stopped it. Asks nothing."""

import time
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from typing import Any

from core.keys import Key
from core.plan import Endpoint
from core.probing.attention import Attention
from core.probing.circumstances import Diagnosis
from core.probing.result import TITLES, Check, CheckName, CheckState, ProbeResult
from core.records import Failure
from core.words import say

# What may quote the server. Everything else is a word of ours, a date or a number.
QUOTING = (
    "what", "next_step", "sent", "notes", "checks", "problem", "engine_version", "engine_facts", "model", "models",
    "details",
)  # fmt: skip


@dataclass(slots=True, kw_only=True)
class Report:
    """What is known so far.

    Attributes:
        attention: Watches whether this process is awake while an answer comes.
        facts: Fields of the result, by name.
        stopped: What the first failure was called; later ones are not told.
    """

    endpoint: Endpoint
    budget_s: float
    clock: Callable[[], float] = time.monotonic
    attention: Callable[[], Attention] = Attention
    key: Key | None = None
    checks: dict[CheckName, Check] = field(default_factory=dict)
    facts: dict[str, Any] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)
    stopped: Diagnosis | None = None
    at: datetime = field(init=False)
    began: float = field(init=False)

    def __post_init__(self) -> None:
        """Start the clock."""
        self.at = datetime.now(UTC)
        self.began = self.clock()

    def seconds(self, share: float = 1.0, *, reserve: float = 0.0) -> float:
        """What a step may take: its share of the budget, and never more than is left of all."""
        left = self.budget_s * (1 - reserve) - self.elapsed_s
        return max(0.05, min(self.budget_s * share, left))

    @property
    def elapsed_s(self) -> float:
        """Since the probe began."""
        return self.clock() - self.began

    @property
    def out_of_time(self) -> bool:
        """Whether the budget is used up."""
        return self.elapsed_s >= self.budget_s

    def check(self, name: CheckName, state: CheckState, detail: str) -> None:
        """Fill in one row."""
        self.checks[name] = Check(name=name, title=say(TITLES[name]), state=state, detail=detail)

    def stop(self, diagnosis: Diagnosis, failure: Failure | None = None, sent: str = "") -> None:
        """Say what is wrong; only the first time counts."""
        if self.stopped is None:
            self.stopped = diagnosis
            self.facts |= {"problem": failure, "sent": sent}

    def result(self, ready: Diagnosis) -> ProbeResult:
        """The finished result; `ready` are the words if nothing stopped the probe."""
        words = self.stopped or ready
        rows = (self.checks.get(name) or self._not_tried(name) for name in CheckName)
        whole = ProbeResult(
            endpoint_name=self.endpoint.name,
            base_url=self.endpoint.base_url,
            at=self.at,
            duration_s=self.elapsed_s,
            state=words.state,
            checks=tuple(rows),
            what=words.what,
            next_step=words.next_step,
            notes=tuple(dict.fromkeys(self.notes)),
            **self.facts,
        )
        if self.key is None:
            return whole
        # A server may say the key back: what is kept and shown never has it.
        return replace(whole, **{name: _hidden(getattr(whole, name), self.key.hide) for name in QUOTING})

    def _not_tried(self, name: CheckName) -> Check:
        return Check(name=name, title=say(TITLES[name]), state=CheckState.NOT_TRIED, detail=say("not tried"))


def _hidden(value: Any, hide: Callable[[str], str]) -> Any:
    match value:
        case str():
            return hide(value)
        case tuple():
            return tuple(_hidden(part, hide) for part in value)
        case Check():
            return replace(value, detail=hide(value.detail))
        case Failure():
            return replace(value, message=hide(value.message))
        case _:
            return value
