"""What a million chunk times cost on disk and in the writer, and how long a large run takes to open. Asserts nothing.

python -m tests.bench.bench_storage
"""

import random
import tempfile
import time
from array import array
from collections.abc import Callable, Iterator
from dataclasses import replace
from datetime import UTC, datetime
from itertools import accumulate
from pathlib import Path
from typing import Any

from core.plan import Configuration, Endpoint, RunPlan
from core.records import RequestRecord, TokenSource
from core.run import Run, RunState
from storage.database import Database
from storage.runs import RunStore

COMMITS, REQUESTS, CHUNKS = 200, 50, 100  # a commit every half second for 100 s: 1,000,000 chunk times
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


def timed(spent: list[float], job: Callable[[Any], None]) -> Callable[[Any], None]:
    """The job, its wall and processor seconds in the writer thread added to `spent`."""

    def run_timed(connection: Any) -> None:
        wall, cpu = time.monotonic(), time.thread_time()
        job(connection)
        spent[0] += time.monotonic() - wall
        spent[1] += time.thread_time() - cpu

    return run_timed


def write(path: Path) -> tuple[float, list[float], float]:
    """Bytes on disk after CHECKPOINT, wall and processor seconds of the commits, seconds of the run's end."""
    made = list(batches())
    with Database.open(path) as database:
        runs = RunStore(database)
        database.checkpoint()
        before = path.stat().st_size
        runs.run_started(run("r"))
        spent = [0.0, 0.0]
        for batch in made:
            runs.requests("r", batch)
            database.flush(timed(spent, runs._flush))
        began = time.monotonic()
        runs.run_ended(replace(run("r"), state=RunState.COMPLETED, ended_at=datetime.now(UTC)))
        end_s = time.monotonic() - began
        database.checkpoint()
        return path.stat().st_size - before, spent, end_s


def read(path: Path) -> dict[str, float]:
    """Seconds of each part that the page of the run needs, on a file just opened."""
    times = {}
    with Database.open(path) as database:
        runs = RunStore(database)
        parts = {
            "row": lambda: runs.list_runs(ids=["r"]),
            "plan": lambda: runs.run("r", requests=False),
            "summary": lambda: runs.summary("r"),
            "grids": lambda: [runs.grid("r", metric) for metric in ("ttft_s", "gap_s", "itl_s", "tpot_s", "e2e_s")],
            "over time": lambda: runs.output_over_time("r"),
            "table": lambda: runs.request_table("r"),
            "(whole run)": lambda: runs.run("r"),
        }
        for name, part in parts.items():
            began = time.monotonic()
            part()
            times[name] = time.monotonic() - began
    return times


def main() -> None:
    """Print a table."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "bench.duckdb"
        size, (wall_s, cpu_s), end_s = write(path)
        print(f"1,000,000 chunk times in {COMMITS} commits: {size / 1e6:.2f} MB after CHECKPOINT (at most 6)")
        print(
            f"writer: commits {wall_s:.2f} s ({cpu_s:.2f} s of CPU), the run's end {end_s:.2f} s (at most 1 together)"
        )
        for name, seconds in (times := read(path)).items():
            print(f"  {name:<12} {seconds * 1e3:7.1f} ms")
        page = sum(seconds for name, seconds in times.items() if not name.startswith("("))
        print(f"page of a run with {COMMITS * REQUESTS:,} requests of {CHUNKS} chunks: {page:.2f} s (at most 1)")


if __name__ == "__main__":
    main()
