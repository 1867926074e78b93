"""What a connection does with ends of every kind, over real sockets."""

import asyncio
import gzip
import select
import socket
import ssl
import struct
from collections.abc import Callable, Iterator

import pytest
import trustme

from core.loadgen.connection import Connection
from core.loadgen.dialling import Dialler
from core.loadgen.exchange import Exchange
from core.loadgen.lanes import Lanes
from core.loadgen.seen import Prepared
from core.plan import Limits
from core.records import FailureKind, Outcome
from tests.core.loadgen.scripted import (
    CHUNKED,
    DONE,
    FINISH,
    HEAD,
    answers,
    chunk,
    closed,
    engine_for,
    event,
    measured,
    plan_for,
    scripted,
    stream,
    usage,
)  # fmt: skip

EVENTS = event("a") + event("b") + FINISH + usage(7, 2) + DONE


async def test_a_connection_is_kept_for_the_next_request():
    async with scripted(answers(stream("a", "b"))) as server:
        records = await measured(plan_for(server.port, requests=5))

    assert [record.outcome for record in records] == [Outcome.OK] * 5
    assert server.connections == 1


async def test_set_up_time_is_told_by_the_first_request_of_a_connection_only():
    async with scripted(answers(stream("a", "b"))) as server:
        records = await measured(plan_for(server.port, requests=3))

    assert records[0].connect_s > 0
    assert [record.connect_s for record in records[1:]] == [None, None]


async def test_a_server_that_says_close_gets_a_new_connection_a_request():
    closing = stream("a", "b").replace(b"\r\n\r\n", b"\r\nConnection: close\r\n\r\n", 1)
    async with scripted(answers(closing, close=True)) as server:
        records = await measured(plan_for(server.port, requests=3))

    assert [record.outcome for record in records] == [Outcome.OK] * 3
    assert server.connections == 3
    assert all(record.connect_s for record in records)


async def test_a_server_that_closes_without_saying_is_noticed_by_the_engine_too():
    async def late_close(_asked, writer):
        writer.write(stream("a", "b"))
        await writer.drain()
        await asyncio.sleep(0.02)  # long enough that the next request is already sent
        writer.close()

    async with scripted(late_close) as server:
        records = await measured(plan_for(server.port, requests=6))

    lost = [record for record in records if record.failure]
    assert len(records) == 6
    assert len(lost) <= 1  # the one that was on its way when the server closed for the first time
    assert server.connections >= 5


async def test_a_request_that_was_sent_is_never_sent_again():
    async def reset(_asked, writer):
        writer.transport.abort()

    async with scripted(reset) as server:
        records = await measured(plan_for(server.port, requests=3))

    assert [record.failure.kind for record in records] == [FailureKind.CONNECTION_LOST] * 3
    assert len(server.asked) == 3


async def test_a_stale_connection_is_not_used_and_that_is_no_retry(monkeypatch):
    monkeypatch.setattr("core.loadgen.connection.STALE_NS", 1_000_000)

    async def slow(_asked, writer):
        await asyncio.sleep(0.02)
        writer.write(stream("a"))

    async with scripted(slow) as server:
        # Three lanes, one of them busy with warm-up while the others grow stale.
        records = await measured(plan_for(server.port, requests=3, concurrency=3, warmup_requests=1))

    assert [record.outcome for record in records] == [Outcome.OK] * 4
    assert len(server.asked) == 4
    assert server.connections > 3


async def unread(sent_by_server: Callable[[socket.socket], None]) -> Connection:
    """A connection on which the server did something that the loop has had no chance to read."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port = listener.getsockname()[1]
        endpoint = plan_for(port).configuration.endpoint
        connection = await Dialler(asyncio.get_running_loop(), endpoint).dial()
        assert isinstance(connection, Connection)
        served, _ = listener.accept()
        assert connection.usable()
        with served:
            sent_by_server(served)
            # Waited for without giving the loop a turn: what came lies in the socket, and nobody was told of it.
            assert select.select([connection.transport.get_extra_info("socket").fileno()], [], [], 10)[0]
        assert not connection.lost
    return connection


@pytest.mark.parametrize(
    "sent_by_server",
    [
        socket.socket.close,
        lambda served: served.shutdown(socket.SHUT_WR),
        lambda served: served.sendall(b"HTTP/1.1 408"),
    ],
    ids=["its end", "the end of one direction", "bytes that nobody asked for"],
)
async def test_a_connection_on_which_something_waits_to_be_read_is_not_used(sent_by_server):
    connection = await unread(sent_by_server)

    assert not connection.usable()
    connection.close()


async def test_a_request_leaves_on_a_new_connection_where_the_end_of_the_old_waits_to_be_read():
    async with scripted(answers(stream("a"))) as server:
        lanes = Lanes(Dialler(asyncio.get_running_loop(), plan_for(server.port).configuration.endpoint), 1, reuse=True)
        old = await unread(socket.socket.close)
        lanes._connections[0] = old
        new = await lanes.connection(0)
        await lanes.close()

    assert isinstance(new, Connection)
    assert new is not old
    assert old.lost or old.transport.is_closing()


class Wire:
    """Stands for the transport: notes what the clock had said to the exchange when the bytes came to it."""

    def __init__(self, exchange: Exchange, clock: Iterator[int]) -> None:
        self.exchange, self.clock = exchange, clock
        self.written: list[tuple[bytes, int, int]] = []

    def write(self, data: bytes) -> None:
        """The first byte leaves here, and writing takes time."""
        self.written.append((data, self.exchange.sent_ns, next(self.clock)))
        next(self.clock)


def test_sent_is_what_the_clock_says_last_before_the_first_byte_is_written(monkeypatch):
    clock = iter(range(1000, 100_000, 10))
    monkeypatch.setattr("core.loadgen.connection.monotonic_ns", lambda: next(clock))
    prepared = Prepared(index=0, warmup=False, request_id="x", payload=b"POST", input_tokens=1, output_tokens=1)
    exchange = Exchange(prepared, ended=lambda _: None)
    connection = Connection()
    connection.transport = wire = Wire(exchange, clock)

    connection.send(exchange)

    ((written, sent_ns, at_ns),) = wire.written
    assert written == b"POST"
    assert sent_ns == at_ns - 10  # nothing looked at the clock in between
    assert exchange.sent_ns == sent_ns  # and nothing set it again afterwards


@pytest.mark.parametrize(
    "tail",
    [b"0\r\nX-Trailer: 1\r\n\r\n", b"000\r\n\r\n", b"0;last=1\r\n\r\n"],
    ids=["trailers", "many zeros", "an extension"],
)
async def test_unusual_last_chunks_end_an_answer(tail):
    async with scripted(answers(CHUNKED + chunk(EVENTS) + tail)) as server:
        records = await measured(plan_for(server.port, requests=2))

    assert [record.outcome for record in records] == [Outcome.OK] * 2
    assert server.connections == 1


@pytest.mark.parametrize("cut", range(1, 9))
async def test_an_end_cut_anywhere_is_found(cut):
    whole = stream("a", "b")

    async def in_two(_asked, writer):
        writer.write(whole[:-cut])
        await writer.drain()
        await asyncio.sleep(0.01)
        writer.write(whole[-cut:])

    async with scripted(in_two) as server:
        records = await measured(plan_for(server.port, requests=2))

    assert [record.outcome for record in records] == [Outcome.OK] * 2
    assert [record.text for record in records] == ["ab", "ab"]


async def test_every_byte_in_a_read_of_its_own_gives_the_same_answer():
    async def by_bytes(_asked, writer):
        for byte in stream("a", "b"):
            writer.write(bytes([byte]))
            await writer.drain()
            await asyncio.sleep(0)

    async with scripted(by_bytes) as server:
        (record,) = await measured(plan_for(server.port))

    assert (record.outcome, record.text, record.output_tokens, len(record.chunk_us)) == (Outcome.OK, "ab", 2, 2)


async def test_a_chunk_for_every_byte_gives_the_same_answer():
    by_bytes = b"".join(chunk(bytes([byte])) for byte in EVENTS)
    async with scripted(answers(CHUNKED + by_bytes + b"0\r\n\r\n")) as server:
        records = await measured(plan_for(server.port, requests=2))

    assert [(record.text, len(record.chunk_us)) for record in records] == [("ab", 2)] * 2
    assert server.connections == 1


async def test_extensions_of_chunks_are_passed_over():
    extended = CHUNKED + b"%x;a=b;c\r\n%b\r\n" % (len(EVENTS), EVENTS) + b"0;last\r\n\r\n"
    async with scripted(answers(extended)) as server:
        records = await measured(plan_for(server.port, requests=2))

    assert [record.text for record in records] == ["ab"] * 2
    assert server.connections == 1


@pytest.mark.parametrize(
    ("head", "connections"),
    [
        (b"HTTP/1.0 200 OK\r\n", 2),
        (b"HTTP/1.0 200 OK\r\nContent-Length: %d\r\n" % len(EVENTS), 2),
        (b"HTTP/1.0 200 OK\r\nContent-Length: %d\r\nConnection: keep-alive\r\n" % len(EVENTS), 1),
    ],
    ids=["no length", "a length", "kept alive"],
)
async def test_http_1_0_is_understood(head, connections):
    answer = head + b"Content-Type: text/event-stream\r\n\r\n" + EVENTS
    async with scripted(answers(answer, close=connections == 2)) as server:
        records = await measured(plan_for(server.port, requests=2))

    assert [record.text for record in records] == ["ab"] * 2
    assert server.connections == connections


@pytest.mark.parametrize(
    ("headers", "close", "kind"),
    [
        (b"Content-Length: %d\r\n" % (len(EVENTS) + 9), False, FailureKind.IDLE_TIMEOUT),
        (b"Content-Length: %d\r\n" % (len(EVENTS) + 9), True, None),  # all that is timed had come
        (b"Content-Length: %d\r\n" % (len(EVENTS) - 9), False, FailureKind.MALFORMED),
        (b"Content-Length: -5\r\n", True, FailureKind.MALFORMED),
        (b"Content-Length: 5\r\nContent-Length: 6\r\n", True, FailureKind.MALFORMED),
        (b"Content-Length: 5\r\nTransfer-Encoding: chunked\r\n", True, FailureKind.MALFORMED),
    ],
    ids=["too long", "too long, then closed", "too short", "negative", "two of them", "chunked as well"],
)
async def test_a_wrong_length_never_leads_into_the_next_answer(headers, close, kind):
    async with scripted(answers(HEAD + headers + b"\r\n" + EVENTS, close=close)) as server:
        records = await measured(plan_for(server.port, requests=2, limits=Limits(idle_s=0.2)))

    assert [record.failure and record.failure.kind for record in records] == [kind] * 2
    assert server.connections == 2  # what is wrong is not used again


@pytest.mark.parametrize("end", [0, 20, len(CHUNKED), len(CHUNKED) + 60])
async def test_a_server_that_closes_after_so_many_bytes_fails_each_request_alone(end):
    async with scripted(answers((CHUNKED + chunk(EVENTS))[:end], close=True)) as server:
        records = await measured(plan_for(server.port, requests=3))

    wanted = FailureKind.TRUNCATED if end >= len(CHUNKED) else FailureKind.CONNECTION_LOST
    assert [record.failure.kind for record in records] == [wanted] * 3
    assert server.connections == 3


async def test_a_stream_without_a_line_end_is_given_up_by_its_size():
    async def endless(_asked, writer):
        writer.write(CHUNKED + b"1f400000\r\n" + b'data: {"choices":[{"delta":{"content":"')
        for _ in range(100):
            writer.write(b"x" * 1_000_000)
            await writer.drain()

    async with scripted(endless) as server:
        (record,) = await measured(plan_for(server.port))

    assert record.failure.kind is FailureKind.STREAM_ERROR
    assert "bytes" in record.failure.message
    assert len(record.chunk_us) == 0


async def test_a_compressed_answer_says_what_to_switch_off():
    body = gzip.compress(EVENTS)
    head = HEAD + b"Content-Encoding: gzip\r\nContent-Length: %d\r\n\r\n" % len(body)
    async with scripted(answers(head + body)) as server:
        (record,) = await measured(plan_for(server.port))

    assert record.failure.kind is FailureKind.MALFORMED
    assert "compressed (gzip)" in record.failure.message


async def test_an_answer_of_known_length_ends_with_its_length():
    answer = HEAD + b"Content-Length: %d\r\n\r\n" % len(EVENTS) + EVENTS
    async with scripted(answers(answer)) as server:
        records = await measured(plan_for(server.port, requests=2))

    assert [record.text for record in records] == ["ab", "ab"]
    assert server.connections == 1


async def test_an_answer_without_framing_is_not_decoded_as_it_is_read():
    seen = []

    async def slowly(_asked, writer):
        writer.write(HEAD + b"\r\n")
        for one in (event("a"), event("b"), FINISH, DONE):
            writer.write(one)
            await writer.drain()
            await asyncio.sleep(0.01)
            seen.append(next(iter(engine._flight.exchanges)).bytes_decoded)
        writer.close()

    async with scripted(slowly) as server:
        records: list = []
        engine = engine_for(plan_for(server.port), records)
        await engine.run()

    assert (records[0].text, records[0].failure) == ("ab", None)
    assert seen == [0, 0, 0, 0]


async def test_an_answer_without_framing_that_is_reset_is_not_taken_for_whole():
    async def reset(_asked, writer):
        writer.write(HEAD + b"\r\n" + event("a"))
        await writer.drain()
        await asyncio.sleep(0.05)
        writer.transport.get_extra_info("socket").setsockopt(
            socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0)
        )
        writer.transport.abort()

    async with scripted(reset) as server:
        (record,) = await measured(plan_for(server.port))

    assert record.failure.kind is FailureKind.TRUNCATED
    assert record.text == "a"


async def test_an_answer_without_framing_ends_with_its_connection():
    async with scripted(answers(HEAD + b"\r\n" + EVENTS, close=True)) as server:
        records = await measured(plan_for(server.port, requests=2))

    assert [record.outcome for record in records] == [Outcome.OK] * 2


async def test_an_interim_answer_is_passed_over():
    async with scripted(answers(b"HTTP/1.1 103 Early Hints\r\nLink: <x>\r\n\r\n" + stream("a", "b"))) as server:
        records = await measured(plan_for(server.port, requests=2))

    assert [record.text for record in records] == ["ab", "ab"]


async def test_a_chunked_answer_cut_off_is_truncated():
    async with scripted(answers(CHUNKED + chunk(event("a")) + chunk(event("b"))[:-9], close=True)) as server:
        (record,) = await measured(plan_for(server.port))

    assert record.failure.kind is FailureKind.TRUNCATED
    assert record.text == "a"


async def test_a_half_closed_connection_still_delivers_its_answer():
    async def half_closed(_asked, writer):
        writer.write(HEAD + b"\r\n" + EVENTS)
        writer.write_eof()

    async with scripted(half_closed) as server:
        records = await measured(plan_for(server.port, requests=2))

    assert [record.outcome for record in records] == [Outcome.OK] * 2


@pytest.mark.parametrize(
    "answer", [b"\x00\xff nonsense\r\n\r\n", b"HTTP/1.1 abc\r\n\r\n", CHUNKED + b"zz\r\nx\r\n0\r\n\r\n"]
)
async def test_what_is_not_http_is_malformed(answer):
    async with scripted(answers(answer, close=True)) as server:
        (record,) = await measured(plan_for(server.port))

    assert record.failure.kind is FailureKind.MALFORMED


async def test_after_an_answer_that_is_not_http_its_connection_is_not_used_again():
    fault = HEAD + b"Transfer-Encoding: chunked\r\n\r\nzz\r\n" + stream("left over")

    async def once(asked, writer):
        writer.write(fault if asked.connection == 0 else stream("own"))

    async with scripted(once) as server:
        records = await measured(plan_for(server.port, requests=2))

    assert records[0].failure.kind is FailureKind.MALFORMED
    assert records[1].text == "own"
    assert server.connections == 2


async def test_a_lying_end_inside_an_answer_never_mixes_two_answers():
    # The first read looks like an end and is none; the rest would otherwise be taken for the next answer.
    lying = CHUNKED + b"%x\r\n" % (len(EVENTS) + 99) + event("a") + b"\r\n0\r\n\r\n"

    async def lie(asked, writer):
        if asked.connection == 0 and asked is server.asked[0]:
            writer.write(lying)
            await writer.drain()
            await asyncio.sleep(0.05)
            writer.write(EVENTS)
        else:
            writer.write(stream("c"))

    async with scripted(lie) as server:
        records = await measured(plan_for(server.port, requests=3))

    assert records[0].failure.kind is FailureKind.TRUNCATED
    assert records[1].failure is not None or records[1].text == "c"
    assert records[2].text == "c"
    assert server.connections > 1


async def test_bytes_after_an_answer_end_the_connection_and_belong_to_nobody():
    extra = b"HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nextra"
    async with scripted(answers(stream("own") + extra)) as server:
        records = await measured(plan_for(server.port, requests=3))

    assert [record.text for record in records] == ["own"] * 3
    assert server.connections == 3


CRLF_EVENTS = [one.replace(b"\n", b"\r\n") for one in (event("a"), event("b"), FINISH, DONE)]
LONG_EVENTS = [event("a" * 5000), event("b"), FINISH, DONE]
PLAIN_EVENTS = [event("a"), event("b"), FINISH, DONE]
SIZE = sum(map(len, PLAIN_EVENTS))


@pytest.mark.parametrize(
    ("begin", "reads", "end"),
    [
        (CHUNKED, list(map(chunk, CRLF_EVENTS)), b"0\r\n\r\n"),
        (CHUNKED, list(map(chunk, LONG_EVENTS)), b"0\r\nX-Trailer: 1\r\n\r\n"),
        (HEAD.replace(b"1.1", b"1.0") + b"Content-Length: %d\r\n\r\n" % (SIZE + 1), PLAIN_EVENTS, b"\n"),
        (b"HTTP/1.1 103 Early Hints\r\nLink: <x>\r\n\r\n" + CHUNKED, list(map(chunk, PLAIN_EVENTS)), b"0\r\n\r\n"),
        (CHUNKED[:-9], [CHUNKED[-9:] + chunk(PLAIN_EVENTS[0]), *map(chunk, PLAIN_EVENTS[1:])], b"0\r\n\r\n"),
    ],
    ids=["lines of CRLF", "trailers", "HTTP/1.0 with a length", "an interim answer", "a head in two reads"],
)
async def test_answers_that_are_a_bit_unusual_are_not_decoded_as_they_are_read(begin, reads, end):
    seen = []

    async def slowly(_asked, writer):
        for data in (begin, *reads):
            writer.write(data)
            await writer.drain()
            await asyncio.sleep(0.01)
            seen.append(next(iter(engine._flight.exchanges)).bytes_decoded)
        writer.write(end)

    async with scripted(slowly) as server:
        records: list = []
        engine = engine_for(plan_for(server.port), records)
        await engine.run()

    assert (records[0].failure, records[0].text[-1], len(records[0].chunk_us)) == (None, "b", 2)
    assert seen == [0] * (1 + len(reads))


@pytest.mark.parametrize("cut", range(len(CHUNKED) + 1))
async def test_a_head_cut_anywhere_is_understood(cut):
    whole = b"HTTP/1.1 100 Continue\r\n\r\n" + stream("a", "b")
    at = cut + len(b"HTTP/1.1 100 Continue\r\n\r\n") - len(CHUNKED) // 2  # the interim answer's end, too

    async def in_two(_asked, writer):
        writer.write(whole[:at])
        await writer.drain()
        await asyncio.sleep(0.002)
        writer.write(whole[at:])

    async with scripted(in_two) as server:
        records = await measured(plan_for(server.port, requests=2))

    assert [record.text for record in records] == ["ab", "ab"]
    assert server.connections == 1


@pytest.mark.parametrize("cut", range(1, 30))
async def test_trailers_after_a_long_answer_end_it_wherever_they_are_cut(cut):
    whole = CHUNKED + b"".join(map(chunk, LONG_EVENTS)) + b"0\r\nX-Trailer: 1\r\nY: 2\r\n\r\n"

    async def in_two(_asked, writer):
        writer.write(whole[:-cut])
        await writer.drain()
        await asyncio.sleep(0.002)
        writer.write(whole[-cut:])

    async with scripted(in_two) as server:
        records = await measured(plan_for(server.port, requests=2, limits=Limits(idle_s=5)))

    assert [record.failure for record in records] == [None] * 2
    assert server.connections == 1


async def test_tls_is_spoken_with_an_authority_from_a_file(tmp_path):
    authority = trustme.CA()
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    authority.issue_cert("127.0.0.1").configure_cert(context)
    authority.cert_pem.write_to_path(tmp_path / "ca.pem")

    async with scripted(answers(stream("a", "b")), ssl=context) as server:
        trusted = await measured(plan_for(server.port, scheme="https", ca_file=str(tmp_path / "ca.pem"), requests=2))
        refused = await measured(plan_for(server.port, scheme="https"))
        unchecked = await measured(plan_for(server.port, scheme="https", verify=False))

    assert [record.outcome for record in trusted] == [Outcome.OK] * 2
    assert refused[0].failure.kind is FailureKind.TLS
    assert "certificate" in refused[0].failure.message
    assert unchecked[0].outcome is Outcome.OK


async def test_a_missing_authority_file_is_said(tmp_path):
    (record,) = await measured(plan_for(1, scheme="https", ca_file=str(tmp_path / "none.pem")))

    assert record.failure.kind is FailureKind.TLS
    assert "none.pem" in record.failure.message


async def test_ipv6_works():
    async with scripted(answers(stream("a")), host="::1") as server:
        (record,) = await measured(plan_for(server.port, host="[::1]"))

    assert record.outcome is Outcome.OK
    assert b"Host: [::1]:%d\r\n" % server.port in server.asked[0].head


async def test_nothing_listening_is_refused():
    async with scripted(answers(b"")) as server:
        port = server.port
    (record,) = await measured(plan_for(port))

    assert record.failure.kind is FailureKind.REFUSED
    assert f"127.0.0.1:{port}" in record.failure.message
    assert record.sent_s is None


async def test_an_unknown_name_is_dns():
    (record,) = await measured(plan_for(80, host="no-such-host.invalid"))

    assert record.failure.kind is FailureKind.DNS
    assert "no-such-host.invalid" in record.failure.message


@pytest.mark.parametrize(
    ("limits", "kind", "sends"),
    [
        (Limits(first_byte_s=0.1), FailureKind.FIRST_BYTE_TIMEOUT, b""),
        (Limits(idle_s=0.1), FailureKind.IDLE_TIMEOUT, CHUNKED + chunk(event("a"))),
        (Limits(total_s=0.1), FailureKind.TOTAL_TIMEOUT, CHUNKED + chunk(event("a"))),
    ],
)
async def test_a_limit_that_passed_has_its_own_kind_and_closes_the_connection(limits, kind, sends):
    async def never_ends(_asked, writer):
        writer.write(sends)
        await writer.drain()
        await asyncio.sleep(30)

    async with scripted(never_ends) as server:
        (record,) = await measured(plan_for(server.port, limits=limits))
        gone = await closed(server.asked_by[0])

    assert gone
    assert record.failure.kind is kind
    assert len(record.chunk_us) == (1 if sends else 0)
