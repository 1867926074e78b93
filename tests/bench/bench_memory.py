"""How much memory the measuring child takes at 1000 streams of 4,000 tokens. Bound: 500 MB.

    python tests/bench/bench_memory.py [--paced-server EXECUTABLE] [--streams 1000] [--tokens 4000] [--itl-us 40000]

Linux only: it reads the child's peak from /proc. Takes tokens x itl: 160 s as it stands.
"""

import argparse
import contextlib
import sys
import tempfile
import threading
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))

from core.fleet.local import LocalRun  # noqa: E402 -- the root has to be on the path first
from core.plan import Configuration, Endpoint, Load, RunPlan, Workload  # noqa: E402
from core.records import Outcome  # noqa: E402
from tests.bench.bench_live_page import paced  # noqa: E402

BOUND_MB = 500


def peak_mb(pid: int) -> float:
    """The most memory that a process has had resident, in MB; 0 once it is gone."""
    with contextlib.suppress(OSError):
        for line in Path(f"/proc/{pid}/status").read_text().splitlines():
            if line.startswith("VmHWM:"):
                return int(line.split()[1]) / 1024
    return 0.0


def main() -> int:
    """Print the peak; status 1 above the bound."""
    parser = argparse.ArgumentParser(description="Peak memory of the measuring child.")
    parser.add_argument("--paced-server", metavar="EXECUTABLE")
    parser.add_argument("--streams", type=int, default=1000)
    parser.add_argument("--tokens", type=int, default=4000)
    parser.add_argument("--itl-us", type=int, default=40_000)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as name, paced(options.paced_server, Path(name)) as (base_url, _):
        plan = RunPlan(
            configuration=Configuration(
                id="m",
                label="m",
                endpoint=Endpoint(name="m", base_url=base_url),
                model=f"gt-ttft50000-itl{options.itl_us}",
            ),
            workload=Workload(input_tokens=16, output_tokens=options.tokens),
            load=Load(concurrency=options.streams, requests=options.streams, warmup_requests=0),
        )
        local = LocalRun(plan)
        peak, ended = 0.0, threading.Event()

        def sample() -> None:
            nonlocal peak
            while not ended.is_set():
                process = local._process
                if process is not None:
                    peak = max(peak, peak_mb(process.pid))
                time.sleep(0.2)

        watcher = threading.Thread(target=sample)
        watcher.start()
        run = local.run()
        ended.set()
        watcher.join()
    ok = sum(record.outcome is Outcome.OK for record in run.requests)
    chunks = sum(len(record.chunk_us) for record in run.requests)
    print(f"peak {peak:.0f} MB (bound {BOUND_MB}), {ok} of {options.streams} ok, {chunks:,} chunks, {run.state}")
    return 0 if peak <= BOUND_MB and ok == options.streams else 1


if __name__ == "__main__":
    sys.exit(main())
