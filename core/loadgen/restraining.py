"""When a request may leave: under limits a minute, and not while an answer asked to wait. Pure: the time is told to it.

Never looks at a clock and never sleeps; who asks waits until then. Nothing of that wait is in a latency, as a request
is sent only after it.
"""

from collections import deque
from collections.abc import Mapping
from dataclasses import replace

from core.restraint import Restraint
from core.wire.rate_limits import per_minute
from core.words import say

SECOND = 1_000_000_000
MINUTE_NS = 60_600_000_000  # 1 % more than one: what leaves evenly may arrive closer together
MOST_WAIT_S = 300.0  # at a time; who asks for longer is asked again then
NOTICED_NS = 1_000_000


def told_restraint(wanted: Restraint, told: Mapping[str, int | float]) -> tuple[Restraint, tuple[str, ...]]:
    """The restraint with the limits that the endpoint told, where it was wanted, and that in a sentence."""
    if not wanted.as_told:
        return wanted, ()
    requests, tokens = per_minute(told)
    whole = replace(
        wanted,
        requests_per_minute=wanted.requests_per_minute or requests,
        tokens_per_minute=wanted.tokens_per_minute or tokens,
    )
    if requests is None and tokens is None:
        return whole, (say("The endpoint told no limits a minute: none of its own is kept."),)
    limits = replace(whole, as_told=False, wait_as_asked=False)
    return whole, (say("The load is kept under the endpoint's limits: {limits}.", limits=limits.words),)


class Pacer:
    """Spaces requests out so that no minute holds more of them, or of their tokens, than is allowed."""

    def __init__(self, requests_per_minute: int | None, tokens_per_minute: int | None) -> None:
        self._gap_ns = 0 if requests_per_minute is None else -(-MINUTE_NS // requests_per_minute)
        self._tokens = tokens_per_minute
        self._next_ns = 0
        self._left: deque[tuple[int, int]] = deque()  # of the last minute: when, and how many tokens
        self._in_it = 0

    def take(self, at_ns: int, tokens: int) -> int:
        """The moment, `at_ns` or later, at which a request of so many tokens may leave; it counts as leaving then."""
        leaves_ns = max(at_ns, self._next_ns)
        gap_ns = self._gap_ns
        if self._tokens is not None:
            leaves_ns = self._with_room(leaves_ns, tokens)
            gap_ns = max(gap_ns, min(MINUTE_NS, tokens * MINUTE_NS // self._tokens))
            self._left.append((leaves_ns, tokens))
            self._in_it += tokens
        self._next_ns = leaves_ns + gap_ns
        return leaves_ns

    def delay(self, now_ns: int, by_ns: int) -> None:
        """Everything that has not left by now leaves so much later."""
        if self._next_ns > now_ns:
            self._next_ns += by_ns
        self._left = deque((at_ns + by_ns if at_ns > now_ns else at_ns, tokens) for at_ns, tokens in self._left)

    def _with_room(self, leaves_ns: int, tokens: int) -> int:
        """When the minute before has room for so many; one that is larger than all of it goes alone."""
        assert self._tokens is not None
        while self._left and (self._in_it + tokens > self._tokens or self._left[0][0] <= leaves_ns - MINUTE_NS):
            begin_ns, its = self._left.popleft()
            self._in_it -= its
            leaves_ns = max(leaves_ns, begin_ns + MINUTE_NS)
        return leaves_ns


class Restraining:
    """What a restraint means for the requests of one run.

    Attributes:
        until_ns: Nothing is sent before; 0 if nobody asked to wait.
        waits: How often it was asked to wait while nothing waited yet.
        held: Requests that left later than they would have, to keep under the limits.
    """

    def __init__(self, restraint: Restraint) -> None:
        self._obeys = restraint.wait_as_asked
        requests, tokens = restraint.requests_per_minute, restraint.tokens_per_minute
        self._pacer = None if requests is None and tokens is None else Pacer(requests, tokens)
        self.until_ns = 0
        self.waits = self.held = self._waited_ns = 0

    @property
    def is_paced(self) -> bool:
        """Whether there are limits a minute to keep under."""
        return self._pacer is not None

    def measuring(self) -> None:
        """What was held back before belongs to the warm-up."""
        self.waits = self.held = self._waited_ns = 0

    def asked_to_wait(self, since_ns: int, seconds: float) -> int:
        """An answer that ended at `since_ns` asked for so many seconds; by how much the time to wait grew."""
        if not self._obeys:
            return 0
        until_ns = since_ns + round(min(seconds, MOST_WAIT_S) * SECOND)
        grown_ns = until_ns - max(since_ns, self.until_ns)
        if grown_ns < NOTICED_NS:
            return 0
        self.waits += self.until_ns <= since_ns
        self._waited_ns += grown_ns
        self.until_ns = until_ns
        return grown_ns

    def turn(self, at_ns: int, tokens: int) -> int:
        """When a request that would leave at `at_ns` may leave, by the limits alone."""
        if self._pacer is None:
            return at_ns
        leaves_ns = self._pacer.take(at_ns, tokens)
        self.held += leaves_ns - at_ns > NOTICED_NS
        return leaves_ns

    def delay(self, now_ns: int, by_ns: int) -> None:
        """The schedule was moved."""
        if self._pacer is not None:
            self._pacer.delay(now_ns, by_ns)

    def waited_s(self, now_ns: int) -> float | None:
        """Seconds until now in which nothing was sent, as answers asked; None if they are not obeyed."""
        return max(0, self._waited_ns - max(0, self.until_ns - now_ns)) / SECOND if self._obeys else None
