"""How late the simulator's tokens left, as a count of tokens for each tenth of a millisecond. Knows no clock."""

from math import ceil

STEP_NS = 100_000
STEPS = 10_000  # the last one holds everything above a second


class Lateness:
    """Told of every token when it leaves: this is on the path of each, so it only counts."""

    def __init__(self) -> None:
        self._steps = [0] * (STEPS + 1)
        self._most_ns = 0

    def take(self, late_ns: int) -> None:
        """A token left this much after it was due."""
        self._steps[min(late_ns // STEP_NS, STEPS)] += 1
        self._most_ns = max(self._most_ns, late_ns)

    def told(self) -> dict[str, float | int | None]:
        """p99 and the most in seconds, None without tokens; counting then begins anew."""
        steps, most_ns, tokens = self._steps, self._most_ns, sum(self._steps)
        self._steps, self._most_ns = [0] * (STEPS + 1), 0
        if not tokens:
            return {"tokens": 0, "late_p99_s": None, "late_max_s": None}
        left, step = ceil(tokens * 0.99), 0
        while (left := left - steps[step]) > 0:
            step += 1
        return {
            "tokens": tokens,
            "late_p99_s": min((step + 1) * STEP_NS, most_ns) / 1e9 if step < STEPS else most_ns / 1e9,
            "late_max_s": most_ns / 1e9,
        }
