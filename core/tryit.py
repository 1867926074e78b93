"""One prompt to up to four endpoints at once through the openai SDK, in the background, its answers growing.

The times are as an application sees them, the SDK's own work included: for a look, not for a comparison. Knows no page.
"""

import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from core.base_url import require
from core.keys import SessionKeys
from core.probing.attention import Attention
from core.trial_lane import Contestant, Lane, TrialState, TrialView

__all__ = ["Contestant", "Trial", "TrialLimits", "TrialState", "TrialView", "preload"]

MOST = 4


@dataclass(frozen=True, slots=True, kw_only=True)
class TrialLimits:
    """When an answer is ended.

    Attributes:
        output_tokens: Asked of the server.
        total_s: Seconds for a whole answer, the SDK's loading not counted.
        characters: Of text and thinking, that are kept; the answer is ended at more.
    """

    output_tokens: int = 512
    total_s: float = 120.0
    characters: int = 100_000


class Trial:
    """A trial under way. It starts when it is made; pages look at `snapshot` and may `cancel`."""

    def __init__(
        self,
        prompt: str,
        contestants: Sequence[Contestant],
        *,
        session: SessionKeys | None = None,
        limits: TrialLimits | None = None,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        """Raises PlanError if there is nothing to ask or too many to ask it of."""
        require(bool(prompt.strip()), "The prompt is empty: write something to ask.")
        require(0 < len(contestants) <= MOST, "Choose one to four endpoints to try.")
        limits = limits or TrialLimits()
        self._lanes = [
            Lane(
                contestant,
                prompt=prompt,
                output_tokens=limits.output_tokens,
                total_s=limits.total_s,
                most_characters=limits.characters,
                clock=clock,
            )
            for contestant in contestants
        ]
        self._threads = [
            threading.Thread(target=_run, args=(lane, session), name="try it", daemon=True) for lane in self._lanes
        ]
        for thread in self._threads:
            thread.start()

    def snapshot(self) -> tuple[TrialView, ...]:
        """How far each is, in the order given."""
        return tuple(lane.view() for lane in self._lanes)

    @property
    def running(self) -> bool:
        """Whether any is still to end."""
        return any(view.state in (TrialState.WAITING, TrialState.ANSWERING) for view in self.snapshot())

    def cancel(self) -> None:
        """End all that are not done: their connections are closed, so that the servers stop too."""
        for lane in self._lanes:
            lane.cancel()

    def wait(self, seconds: float) -> bool:
        """Wait until all have ended; whether they did."""
        ends = time.monotonic() + seconds
        for thread in self._threads:
            thread.join(max(0.0, ends - time.monotonic()))
        return not any(thread.is_alive() for thread in self._threads)


def preload() -> None:
    """Begin to load the SDK: it takes a second, and many on a busy machine, while a server may be starting anyway."""
    threading.Thread(target=_answer, name="load the SDK", daemon=True).start()


def _answer() -> Callable[[Lane, SessionKeys | None], None]:
    from core.sdk import answer  # noqa: PLC0415 -- most pages never need it

    return answer


def _run(lane: Lane, session: SessionKeys | None) -> None:
    answer = _answer()
    with Attention() as lane.watch:
        answer(lane, session)
