"""What a million chunk times cost on disk and in the writer, and how long a large run takes to open.

python -m tests.bench.bench_storage; ends with 1 if the median of its repeats is not within a bar.
"""

import contextlib
import os
import random
import sys
import tempfile
import time
from array import array
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from itertools import accumulate
from pathlib import Path
from statistics import median

from core.environment import cpu_model, usable_cores
from core.plan import Configuration, Endpoint, RunPlan
from core.records import RequestRecord, TokenSource
from core.run import Run, RunState
from storage.database import Database
from storage.runs import RunStore

COMMITS, REQUESTS, CHUNKS = 200, 50, 100  # a commit every half second for 100 s: 1,000,000 chunk times
HEALTH_EVERY = 4  # commits: what is known of the run comes with them every two seconds
REPEATS = 5
MOST_BYTES, MOST_WRITER_S, MOST_PAGE_S = 6_000_000, 1.0, 1.0
GAPS_US = [int(random.Random(place).lognormvariate(0, 0.3) * 10_000) for place in range(10_000)]


def run(run_id: str) -> Run:
    """A run that begins now."""
    endpoint = Endpoint(name="bench", base_url="http://127.0.0.1:1/v1")
    plan = RunPlan(configuration=Configuration(id="c", label="bench", endpoint=endpoint, model="m"))
    return Run(id=run_id, name=run_id, started_at=datetime.now(UTC), state=RunState.RUNNING, plan=plan)


def records(chance: random.Random, first: int, number: int, at_s: float) -> list[RequestRecord]:
    """Requests whose gaps are lognormal around 10 ms, as real engines' are."""
    found = []
    for index in range(first, first + number):
        times = array("i", accumulate(chance.choices(GAPS_US, k=CHUNKS), initial=50_000))[1:]
        sent = at_s + chance.random() * 0.5
        found.append(
            RequestRecord(
                request_id=f"{chance.getrandbits(128):032x}",
                index=index,
                sent_s=sent,
                first_token_s=sent + times[0] / 1e6,
                first_answer_s=sent + times[0] / 1e6,
                last_token_s=sent + times[-1] / 1e6,
                ended_s=sent + times[-1] / 1e6 + 0.0001,
                input_tokens=128,
                requested_input_tokens=128,
                output_tokens=CHUNKS,
                requested_output_tokens=CHUNKS,
                token_source=TokenSource.USAGE,
                finish_reason="length",
                reads=CHUNKS,
                chunk_us=times,
            )
        )
    return found


def batches() -> Iterator[list[RequestRecord]]:
    """The live run's batches of half a second each."""
    chance = random.Random(0)
    for commit in range(COMMITS):
        yield records(chance, commit * REQUESTS, REQUESTS, commit * 0.5)


@dataclass
class Spent:
    """Seconds of what ran within `with`: by the clock, and without what its threads waited for a processor."""

    wall_s: float = 0.0
    own_s: float = 0.0

    def __enter__(self) -> None:
        """Begin."""
        self._began = time.monotonic(), waited_s()

    def __exit__(self, *_: object) -> None:
        """Add what went by. Another program's share of the machine is no cost of the writer."""
        wall_s = time.monotonic() - self._began[0]
        self.wall_s += wall_s
        self.own_s += max(0.0, wall_s - (waited_s() - self._began[1]))


def waited_s() -> float:
    """How long the threads of this process have waited for a processor; 0 where the system does not tell."""
    total_ns = 0
    for told in Path("/proc/self/task").glob("*/schedstat"):
        with contextlib.suppress(OSError):  # some end meanwhile
            total_ns += int(told.read_text().split()[1])
    return total_ns / 1e9


def write(path: Path) -> tuple[int, Spent, Spent]:
    """Bytes that a live run of a million chunk times adds after CHECKPOINT; what its commits took, and its end."""
    made = list(batches())
    commits, end = Spent(), Spent()
    with Database.open(path) as database:
        runs = RunStore(database)
        database.checkpoint()
        before = path.stat().st_size
        runs.run_started(run("r"))
        for place, batch in enumerate(made):
            if place % HEALTH_EVERY == 0:
                runs.run_goes_on(run("r"))
            runs.requests("r", batch)
            with commits:
                database.flush(runs._flush)
        with end:
            runs.run_ended(replace(run("r"), state=RunState.COMPLETED, ended_at=datetime.now(UTC)))
        database.checkpoint()
        return path.stat().st_size - before, commits, end


def read(path: Path) -> dict[str, float]:
    """Seconds of each part that the page of the run reads at its first visit, on a file just opened."""
    times = {}
    with Database.open(path) as database:
        runs = RunStore(database)
        parts = {
            "row": lambda: runs.list_runs(ids=["r"]),
            "plan": lambda: runs.run("r", requests=False),
            "summary": lambda: runs.summary("r"),
            "grids": lambda: [runs.grid("r", metric) for metric in ("gap_s", "itl_s")],
            "values": lambda: [runs.values("r", metric) for metric in ("ttft_s", "tpot_s", "e2e_s")],
            "over time": lambda: runs.output_over_time("r"),
            "table": lambda: runs.request_table("r"),
            "whole run": lambda: runs.run("r", texts=False),
        }
        for name, part in parts.items():
            began = time.monotonic()
            part()
            times[name] = time.monotonic() - began
    return times


@dataclass(frozen=True, slots=True, kw_only=True)
class Measured:
    """One repeat."""

    size_bytes: int
    commits: Spent
    end: Spent
    parts_s: dict[str, float]

    @property
    def writer_s(self) -> float:
        """What the whole run cost the writer."""
        return self.commits.own_s + self.end.own_s

    @property
    def page_s(self) -> float:
        """What the page of the run waits for, its requests with their chunk times included."""
        return sum(self.parts_s.values())


def measured() -> Measured:
    """Write and read once, in a folder of its own."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "bench.duckdb"
        size_bytes, commits, end = write(path)
        return Measured(size_bytes=size_bytes, commits=commits, end=end, parts_s=read(path))


def spread(values: Sequence[float], form: str = ".2f") -> str:
    """The median, with the least and the greatest."""
    return f"{median(values):{form}} ({min(values):{form}} to {max(values):{form}})"


def told(found: Sequence[Measured]) -> Iterator[str]:
    """What was found, a line a number."""
    size = spread([one.size_bytes / 1e6 for one in found])
    yield f"{cpu_model()}, {usable_cores()} cores, load {os.getloadavg()[0]:.1f}; {len(found)} repeats, median (range)"
    yield f"{COMMITS * REQUESTS * CHUNKS:,} chunk times in {COMMITS} commits, after CHECKPOINT: {size} MB"
    yield f"writer: {spread([one.writer_s for one in found])} s"
    for name, spent in (("commits", [one.commits for one in found]), ("the end", [one.end for one in found])):
        own, wall = ([getattr(one, clock) for one in spent] for clock in ("own_s", "wall_s"))
        yield f"  {name:<12} {spread(own)} s, {spread(wall)} s by the clock"
    page = spread([one.page_s for one in found])
    yield f"page of a run with {COMMITS * REQUESTS:,} requests of {CHUNKS} chunks: {page} s"
    for name in found[0].parts_s:
        yield f"  {name:<12} {spread([one.parts_s[name] * 1e3 for one in found], '.1f')} ms"


def broken(found: Sequence[Measured]) -> list[str]:
    """The bars that the median is not within."""
    bars = {
        "MB after CHECKPOINT": (median(one.size_bytes for one in found) / 1e6, MOST_BYTES / 1e6),
        "s of the writer": (median(one.writer_s for one in found), MOST_WRITER_S),
        "s to open the page": (median(one.page_s for one in found), MOST_PAGE_S),
    }
    return [f"{value:.2f} {name}, at most {most:g}" for name, (value, most) in bars.items() if value > most]


def main() -> int:
    """Print a table; 1 if a bar is broken."""
    found = [measured() for _ in range(REPEATS)]
    print(*told(found), sep="\n")
    faults = broken(found)
    print(*(f"NOT WITHIN ITS BAR: {fault}" for fault in faults) if faults else ("All within their bars.",), sep="\n")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
