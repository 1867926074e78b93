"""A run of 10,000 requests with 100 chunks each opens within a second of the page's own work."""

import time
from array import array
from dataclasses import replace

import pytest

from core.run import RunState
from tests.pages.seen import figures, made

REQUESTS, CHUNKS, MOST_S = 10_000, 100, 1.0


@pytest.mark.long
def test_a_run_of_a_million_chunks_opens_in_a_second(services, opened):
    run, records = made("big", requests=REQUESTS)
    steps = array("i", [1_000 + 10_000 * k for k in range(CHUNKS)])
    services.runs.run_started(run)
    services.runs.requests("big", [replace(record, chunk_us=steps, output_tokens=CHUNKS) for record in records])
    services.runs.run_ended(replace(run, state=RunState.COMPLETED))
    opened("run", run="big-but-not-there")  # imports are not what is looked at

    started = time.process_time()  # of all threads, so that a busy machine does not count
    page = opened("run", run="big")
    took = time.process_time() - started

    assert took < MOST_S
    assert all(
        len(trace.get("x", [])) <= 500
        for figure in figures(page)
        for trace in figure["data"]
        if isinstance(trace.get("x"), list)
    )
