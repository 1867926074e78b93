"""One answer of a trial while it grows: what came, when, and how it ended. Knows no client and no page."""

import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum
from typing import Protocol

from core.keys import Key
from core.plan import Endpoint
from core.words import say

LATE_S, LATE_SHARE = 0.01, 0.1  # the share is of TTFT: later than both is worth a word
BUSY_SHARE = 0.9  # of this machine while the answer came: who reads it may have had to wait, too
SHORTEST_S = 0.25  # chunks that came over less time than this say nothing of a pace


class TrialState(StrEnum):
    """How far an answer is."""

    WAITING = "waiting"
    ANSWERING = "answering"
    DONE = "done"
    FAILED = "failed"
    CANCELLED = "cancelled"


@dataclass(frozen=True, slots=True, kw_only=True)
class Contestant:
    """One answer to be had: `model` at `endpoint`, called `label`."""

    label: str
    endpoint: Endpoint
    model: str


class Watch(Protocol):
    """How late this process was, from `anew` on; `busy_share` once the watch is over."""

    late_s: float
    busy_share: float | None

    def anew(self) -> None:
        """Forget what was before."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TrialView:
    """An answer as it stands. Texts are the server's: escape them where they are shown.

    Attributes:
        ttft_s: From the request's first byte, its connection standing, to the SDK's first chunk with output, thinking
            included.
        elapsed_s: From calling the SDK to now or to the end, connecting included; None before the call.
        tokens_per_s: (tokens - 1) / (last chunk - first chunk); None until the server has counted tokens.
        chunks_per_s: The same of chunks, which need not be tokens: for the time before the count. None in the first
            moment, when a few chunks in one read would look like thousands a second.
        chunks: With output.
        output_tokens: As the server counted.
        error_sentence: What went wrong and what to do next; "" if nothing did.
        note: What else should be known: that it was cut, and why.
        late_s: How late this process itself was at worst since the request left: each time above may be so much off.
        busy_share: How busy this machine was meanwhile; None until the end, where it does not tell, and of a built-in
            server, whose own work that is.
    """

    label: str
    state: TrialState
    text: str
    reasoning: str
    ttft_s: float | None
    elapsed_s: float | None
    tokens_per_s: float | None
    chunks_per_s: float | None
    chunks: int
    output_tokens: int | None
    error_sentence: str
    note: str
    late_s: float = 0.0
    busy_share: float | None = None

    @property
    def held_up(self) -> bool:
        """Whether its times say more of this machine than of the server."""
        if self.ttft_s is None:
            return False
        return self.was_late or (self.busy_share or 0.0) >= BUSY_SHARE

    @property
    def was_late(self) -> bool:
        """Whether it was seen that what came was read late, by more than matters."""
        return self.late_s > max(LATE_S, LATE_SHARE * (self.ttft_s or 0.0))


class Lane:
    """The growing answer of one contestant. One thread writes, any may look or cancel."""

    def __init__(
        self,
        contestant: Contestant,
        *,
        prompt: str,
        output_tokens: int = 512,
        total_s: float = 120.0,
        most_characters: int = 100_000,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self.contestant = contestant
        self.prompt = prompt
        self.asked_tokens = output_tokens
        self.total_s = total_s
        self.key: Key | None = None
        self.watch: Watch | None = None
        self._most = most_characters
        self._clock = clock
        self._lock = threading.Lock()
        self._state = TrialState.WAITING
        self._text: list[str] = []
        self._reasoning: list[str] = []
        self._kept = 0
        self._asked: float | None = None
        self._sent: float | None = None
        self._first: float | None = None
        self._last: float | None = None
        self._ended: float | None = None
        self._chunks = 0
        self._tokens: int | None = None
        self._error = ""
        self._note = ""
        self._shut: Callable[[], None] | None = None

    @property
    def cancelled(self) -> bool:
        """Whether it is to go no further."""
        return self._state is TrialState.CANCELLED

    @property
    def has_output(self) -> bool:
        """Whether anything of an answer came."""
        return self._chunks > 0

    def begin(self, shut: Callable[[], None]) -> bool:
        """A request is about to leave; `shut` ends its connection. False if it was cancelled before."""
        with self._lock:
            if self._state is not TrialState.WAITING:
                return False
            self._shut = shut
            return True

    def asking(self) -> None:
        """The SDK is called now; the last call counts."""
        with self._lock:
            self._asked = self._clock()
            self._sent = None

    def sending(self) -> None:
        """The connection stands, and the first byte of the request is about to be written."""
        with self._lock:
            self._sent = self._clock()
            if self.watch is not None:
                self.watch.anew()

    def add(self, text: str, reasoning: str) -> bool:
        """A chunk with output came; "" for a tool call. False if no more is wanted."""
        with self._lock:
            if self._state not in (TrialState.WAITING, TrialState.ANSWERING):
                return False
            now = self._clock()
            self._state = TrialState.ANSWERING
            self._first = now if self._first is None else self._first
            self._last = now
            self._chunks += 1
            room = max(0, self._most - self._kept)
            self._text.append(text[:room])
            self._reasoning.append(reasoning[: max(0, room - len(text))])
            self._kept += len(text) + len(reasoning)
            if self._kept <= self._most:
                return True
            self._note = say("Cut after {count:,} characters.", count=self._most)
            return False

    def count(self, output_tokens: int) -> None:
        """The server counted tokens; its last word holds."""
        with self._lock:
            self._tokens = output_tokens

    def cut(self, note: str) -> None:
        """The answer was ended from here, and what came of it stays."""
        with self._lock:
            self._note = self._note or note

    def end(self, error_sentence: str = "") -> None:
        """The answer is over, well or not."""
        with self._lock:
            if self._state in (TrialState.WAITING, TrialState.ANSWERING):
                self._state = TrialState.FAILED if error_sentence else TrialState.DONE
                self._error = self._without_key(error_sentence)
                self._ended = self._clock()
            self._shut = None

    def cancel(self) -> None:
        """End it now, if it has not ended."""
        with self._lock:
            if self._state not in (TrialState.WAITING, TrialState.ANSWERING):
                return
            self._state = TrialState.CANCELLED
            self._ended = self._clock()
            shut = self._shut
        if shut is not None:
            shut()

    def view(self) -> TrialView:
        """How it stands."""
        with self._lock:
            ended = self._clock() if self._ended is None else self._ended
            span = self._last - self._first if self._last is not None and self._first is not None else 0.0
            young = self._state is TrialState.ANSWERING and span < SHORTEST_S
            return TrialView(
                label=self.contestant.label,
                state=self._state,
                text=self._without_key("".join(self._text)),
                reasoning=self._without_key("".join(self._reasoning)),
                ttft_s=None if self._first is None or self._sent is None else self._first - self._sent,
                elapsed_s=None if self._asked is None else ended - self._asked,
                tokens_per_s=_rate(self._tokens, span) if self._chunks > 1 else None,
                chunks_per_s=None if young else _rate(self._chunks, span),
                chunks=self._chunks,
                output_tokens=self._tokens,
                error_sentence=self._error,
                note=self._note,
                late_s=0.0 if self.watch is None else self.watch.late_s,
                busy_share=None if self.watch is None or self.contestant.endpoint.demo else self.watch.busy_share,
            )

    def _without_key(self, text: str) -> str:
        return text if self.key is None else self.key.hide(text)


def _rate(count: int | None, span_s: float) -> float | None:
    return None if count is None or count < 2 or span_s <= 0 else (count - 1) / span_s
