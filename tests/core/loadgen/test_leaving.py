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


class Server:
    """Idle from `after_s` on; each look at it takes `look_s`, and tells what was so in its middle."""

    def __init__(self, monkeypatch, *, after_s: float = 60.0, look_s: float = 0.0, busy: int | None = 1) -> None:
        self.now = 0.0
        self._after_s, self._look_s, self._working = after_s, look_s, busy
        monkeypatch.setattr(asyncio, "sleep", self._pass)
        monkeypatch.setattr(leaving, "monotonic", lambda: self.now)

    async def _pass(self, seconds: float) -> None:
        self.now += seconds

    async def busy(self) -> int | None:
        await self._pass(self._look_s / 2)
        told = self._working if self.now < self._after_s else 0
        await self._pass(self._look_s / 2)
        return told

    async def stopped(self, least_s: float = 2.0, most_s: float = 2.0) -> bool | None:
        return await leaving._stopped(self, 0.0, least_s, most_s, leaving.MOST_S)


@pytest.mark.parametrize(("after_s", "stops"), [(0.1, True), (0.9, None), (1.9, False), (60.0, False)])
async def test_only_an_end_long_before_the_answer_s_own_is_a_stop(after_s, stops, monkeypatch):
    server = Server(monkeypatch, after_s=after_s)

    assert await server.stopped() is stops
    assert server.now <= leaving.MOST_S + leaving.POLL_S


@pytest.mark.parametrize(("after_s", "stops"), [(0.1, True), (0.5, None), (1.1, None), (2.5, False)])
async def test_where_two_paces_were_seen_both_must_agree(after_s, stops, monkeypatch):
    assert await Server(monkeypatch, after_s=after_s).stopped(1.0, 4.0) is stops


@pytest.mark.parametrize("busy", [None, 2])
async def test_a_server_that_tells_no_more_or_works_for_others_is_not_judged(busy, monkeypatch):
    assert await Server(monkeypatch, busy=busy).stopped() is None


@pytest.mark.parametrize("untold", [None, 2])
async def test_one_look_that_told_nothing_leaves_the_rest_unjudged(untold, monkeypatch):
    monkeypatch.setattr(leaving, "monotonic", lambda: 0.0)
    looked = Looked(untold, 0)

    assert await leaving._stopped(looked, 0.0, 2.0, 2.0, leaving.MOST_S) is None


@pytest.mark.parametrize(
    ("look_s", "stops"), [(0.4, True), (0.6, None), (0.7, None), (1.3, None), (2.0, None), (4.0, None)]
)
async def test_a_server_that_stops_at_once_is_never_blamed_for_slow_looks(look_s, stops, monkeypatch):
    assert await Server(monkeypatch, after_s=0.01, look_s=look_s).stopped() is stops


@pytest.mark.parametrize(("look_s", "stops"), [(0.4, False), (0.7, False), (1.3, False), (6.0, None)])
async def test_a_server_that_goes_on_is_told_by_when_its_last_busy_look_began(look_s, stops, monkeypatch):
    assert await Server(monkeypatch, look_s=look_s).stopped() is stops


@pytest.mark.parametrize("rest_s", [-1.0, 0.0, 0.3])
@pytest.mark.parametrize("after_s", [0.01, 60.0])
async def test_an_answer_of_which_too_little_was_left_tells_nothing(rest_s, after_s, monkeypatch):
    assert await Server(monkeypatch, after_s=after_s).stopped(rest_s, rest_s) is None


async def test_a_stop_needs_enough_of_the_answer_by_its_faster_pace_too(monkeypatch):
    assert await Server(monkeypatch, after_s=0.01).stopped(0.2, 2.0) is None


class Leaving:
    """One answer whose first chunk is there at once, beside a server that tells `busy` look for look."""

    def __init__(self, *busy: int | None, ends_during_look: bool = False) -> None:
        self._looks = iter(busy)
        self._ends = ends_during_look
        self.exchange = Exchange(
            Prepared(index=0, warmup=True, request_id="", payload=b"", input_tokens=1, output_tokens=1),
            ended=lambda _: None,
        )

    async def busy(self) -> int | None:
        if self.exchange.reads and self._ends:
            self.exchange.ended_ns = 1
        return next(self._looks)

    async def dial(self):
        return self

    def send(self, exchange) -> None:
        exchange.bytes_seen = leaving.BEGUN_BYTES
        exchange.reads = [(at_ms * 1_000_000, b"") for at_ms in range(0, 80, 10)]

    def close(self) -> None:
        pass

    async def found(self) -> bool | None:
        return await stops_on_disconnect(self, self, lambda _: self.exchange, 0.01)


async def test_a_server_that_is_idle_once_its_client_left_stops():
    assert await Leaving(0, 1, 0).found() is True


@pytest.mark.parametrize("busy", [None, 0, 2])
async def test_an_answer_that_was_not_seen_at_work_alone_tells_nothing(busy):
    assert await Leaving(0, busy, 0).found() is None


async def test_an_answer_that_ended_while_the_server_was_looked_at_tells_nothing():
    assert await Leaving(0, 1, 0, ends_during_look=True).found() is None
