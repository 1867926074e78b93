"""Whether a server stops when its client goes away. The whole exchange is tried in test_preflight."""

import asyncio
from array import array

import pytest

from core.loadgen import leaving
from core.loadgen.exchange import Exchange
from core.loadgen.leaving import stops_on_disconnect, token_s
from core.loadgen.seen import Prepared
from tests.core.example_runs import answered


@pytest.mark.parametrize(
    ("chunk_us", "tokens", "each_s"),
    [
        ([100_000, 110_000, 120_000, 130_000], 4, 0.01),
        ([100_000, 110_000, 320_000, 330_000], 4, 0.01),  # one stall
        ([100_000, 100_000, 110_000, 120_000], 4, 0.01),  # two chunks in one read
        ([100_000, 120_000, 140_000], 5, 0.01),  # two tokens a chunk
        ([100_000, 110_000], None, 0.01),
        ([100_000, 100_000, 100_000], 3, None),  # held back, or faster than can be seen
        ([100_000], 4, None),
        ([], None, None),
    ],
)
def test_the_pace_of_a_tiny_answer_is_its_median_gap_a_token(chunk_us, tokens, each_s):
    assert token_s(answered(tokens=tokens, chunk_us=array("i", chunk_us))) == each_s


@pytest.mark.parametrize(
    ("times_ms", "gap_s"),
    [([*range(0, 80, 10)], 0.01), ([0, 30, 30, 30, 40, 50, 60, 70], 0.01), ([0, 10, 20], None)],
)
def test_the_pace_of_the_answer_itself_needs_a_few_reads(times_ms, gap_s):
    prepared = Prepared(index=0, warmup=True, request_id="", payload=b"", input_tokens=1, output_tokens=1)
    exchange = Exchange(prepared, ended=lambda _: None)
    exchange.reads = [(at_ms * 1_000_000, b"") for at_ms in times_ms]

    assert leaving._gap_s(exchange) == pytest.approx(gap_s)


class Looked:
    """A server that is idle, then busy, then idle again after so many looks."""

    def __init__(self, *busy: int | None) -> None:
        self._busy = iter(busy)

    async def busy(self) -> int | None:
        return next(self._busy)


@pytest.mark.parametrize("each_s", [None, 0.6])
async def test_where_it_cannot_be_caught_at_it_nothing_is_asked(each_s):
    assert await stops_on_disconnect(Looked(), None, None, each_s) is None


@pytest.mark.parametrize("busy", [None, 2])
async def test_a_server_that_does_not_tell_or_works_for_others_is_not_asked(busy):
    assert await stops_on_disconnect(Looked(busy), None, None, 0.01) is None


@pytest.mark.parametrize(("after_s", "stops"), [(0.1, True), (0.9, None), (1.9, False), (60.0, False)])
async def test_only_an_end_long_before_the_answer_s_own_is_a_stop(after_s, stops, monkeypatch):
    now = 0.0

    async def pass_time(seconds):
        nonlocal now
        now += seconds

    class Busy:
        async def busy(self):
            return int(now < after_s)

    monkeypatch.setattr(asyncio, "sleep", pass_time)
    monkeypatch.setattr(leaving, "monotonic", lambda: now)

    assert await leaving._stopped(Busy(), 0.0, 2.0, 2.0, leaving.MOST_S) is stops
    assert now <= leaving.MOST_S + leaving.POLL_S


@pytest.mark.parametrize(("after_s", "stops"), [(0.1, True), (0.5, None), (1.1, None), (2.5, False)])
async def test_where_two_paces_were_seen_both_must_agree(after_s, stops, monkeypatch):
    now = after_s
    monkeypatch.setattr(leaving, "monotonic", lambda: now)

    assert await leaving._stopped(Looked(0), 0.0, 1.0, 4.0, leaving.MOST_S) is stops
