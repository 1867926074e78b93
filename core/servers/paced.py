"""The paced simulator: sends tokens exactly when a model name says, and logs when it really did. Never knows a client.

    python -m core.servers.paced --port 0 --log FILE

It prints its base URL on one line and ends when its stdin closes. FILE gets one JSON line a request, nanoseconds of
the monotonic clock: {"id", "recv_ns", "first_ns", "last_ns", "n", "max_late_us", "end_ns"}, or {"id", "aborted",
"sent"} where the client went away. `recv_ns` is when the kernel had the request, where the system tells: that this
process came late to it is part of the true time, and no error of a client.
"""

import argparse
import contextlib
import gc
import heapq
import json
import os
import select
import selectors
import signal
import socket
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TextIO

from core.open_files import allow_many_sockets
from core.servers import pace
from core.servers.lateness import Lateness
from core.servers.paced_stream import Connection, Request, Stream, cut_request

SPIN_NS = 200_000  # a sleep ends up to this late; the rest of the wait is a busy loop that goes on reading
FLUSH_NS = 200_000_000
BATCH = 256  # tokens sent before sockets are read again
MAX_PENDING = 1 << 20  # bytes waiting for a slow reader before its stream pauses
LATENESS = "/lateness"  # a GET of it tells how late tokens left since the last one
STAMP = 35 if sys.platform == "linux" else None  # SO_TIMESTAMPNS, which the socket module does not name


class Simulator:
    """The event loop: a heap of due times, a selector, and the log."""

    def __init__(self, port: int, log: TextIO | None) -> None:
        """Listen on 127.0.0.1."""
        self.listener = socket.create_server(("127.0.0.1", port), backlog=4096)
        self.listener.setblocking(False)
        self.address = f"http://127.0.0.1:{self.listener.getsockname()[1]}/v1"
        self.selector = selectors.DefaultSelector()
        self.log, self.unflushed, self.flushed_ns = log, 0, 0
        self.due: list[tuple[int, int, Connection, Stream]] = []
        self.order = self.active = self.serial_free_ns = 0
        self.wall_ns = self.wall_at_ns = 0
        self.ended = False
        self.lateness = Lateness()

    def run(self) -> None:
        """Serve until stdin closes."""
        self.selector.register(self.listener, selectors.EVENT_READ, self.accept)
        try:
            self.selector.register(sys.stdin, selectors.EVENT_READ, self.end_with_stdin)
        except (PermissionError, ValueError):  # a file or nothing: it has no end to wait for
            return
        while not self.ended:
            for key, mask in self.wait():
                if isinstance(key.data, Connection):
                    self.serve(key.data, mask)
                else:
                    act: Callable[[], None] = key.data
                    act()
            self.send_due()
            self.flush()

    def wait(self) -> list[tuple[selectors.SelectorKey, int]]:
        """Sleep until shortly before the next due time; closer than that, only look."""
        ahead_ns = min(self.due[0][0] - time.monotonic_ns(), FLUSH_NS) if self.due else FLUSH_NS
        if ahead_ns > SPIN_NS:
            # Selectors round to whole milliseconds. select() does not, and a selector is a file to it.
            select.select([self.selector], (), (), (ahead_ns - SPIN_NS) / 1e9)
        return self.selector.select(0)

    def end_with_stdin(self) -> None:
        """Stop at the end of stdin; what comes on it before is not looked at."""
        self.ended = not os.read(sys.stdin.fileno(), 4096)

    def accept(self) -> None:
        """Take every waiting connection."""
        with contextlib.suppress(BlockingIOError):
            while True:
                sock, _ = self.listener.accept()
                sock.setblocking(False)
                sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
                if STAMP is not None:
                    sock.setsockopt(socket.SOL_SOCKET, STAMP, 1)
                self.selector.register(sock, selectors.EVENT_READ, Connection(sock))

    def serve(self, connection: Connection, mask: int) -> None:
        """Move bytes in and out of one connection; close it when the other side did."""
        try:
            if mask & selectors.EVENT_WRITE:
                self.send(connection, b"")
            alive = not mask & selectors.EVENT_READ or self.read(connection)
        except OSError:
            alive = False
        if not alive or connection.spent:
            self.close(connection)

    def read(self, connection: Connection) -> bool:
        """Take what came; False once the client has closed."""
        data, extra, _, _ = connection.sock.recvmsg(262_144, 64)
        if not data:
            return False
        connection.inbox += data
        self.next_request(connection, self.arrival_ns(extra))
        return True

    def arrival_ns(self, extra: Sequence[tuple[int, int, bytes]]) -> int:
        """When the kernel had the bytes, else now; monotonic clock."""
        now = time.monotonic_ns()
        for level, kind, stamp in extra:
            if level == socket.SOL_SOCKET and kind == STAMP and len(stamp) == 16:
                if now - self.wall_at_ns > 50_000_000:
                    self.wall_ns, self.wall_at_ns = wall_minus_monotonic_ns(), now
                seconds, rest = (int.from_bytes(part, sys.byteorder) for part in (stamp[:8], stamp[8:]))
                arrived = seconds * 1_000_000_000 + rest - self.wall_ns
                return arrived if 0 <= now - arrived < 5_000_000_000 else now
        return now

    def next_request(self, connection: Connection, recv_ns: int) -> None:
        """Answer the requests that have come, one after another."""
        while connection.stream is None and not connection.closing:
            try:
                request = cut_request(connection.inbox)
            except ValueError as fault:
                connection.closing = True
                self.send(connection, pace.refusal(400, str(fault)))
                return
            if request is None:
                return
            connection.closing = request.closing
            self.answer(connection, request, recv_ns)

    def answer(self, connection: Connection, request: Request, recv_ns: int) -> None:
        """Begin a stream, or answer at once what needs no pace."""
        chat = request.path.endswith("/chat/completions")
        if request.method == "POST" and (chat or request.path.endswith("/completions")):
            try:
                asked = pace.Asked.of(json.loads(request.body))
            except ValueError as fault:
                self.send(connection, pace.refusal(400, f"The body is not a JSON object: {fault}"))
                return
            self.begin(connection, asked, request.request_id, recv_ns, chat=chat)
        elif request.method == "GET" and request.path.endswith("/models"):
            self.send(connection, pace.models())
        elif request.method == "GET" and request.path == LATENESS:
            self.send(connection, pace.plain(200, self.lateness.told()))
        elif request.method == "GET" and request.path in ("/", "/health"):
            self.send(connection, pace.plain(200, {"status": "ok"}))
        else:
            self.send(connection, pace.refusal(404, f"{request.method} {request.path} is not answered here."))

    def begin(self, connection: Connection, asked: pace.Asked, request_id: str, recv_ns: int, *, chat: bool) -> None:
        """Put a new answer on the heap."""
        asks = pace.Pace.of(asked.model)
        wait_ns = (asks.ttft_us + asks.grow_us * (self.active + 1)) * 1000
        due_ns = recv_ns + wait_ns
        if asks.serial:
            due_ns = max(due_ns, self.serial_free_ns + wait_ns)
            self.serial_free_ns = due_ns + asks.itl_us * asked.tokens * 1000
        stream = connection.stream = Stream(asked, asks, chat=chat, recv_ns=recv_ns, due_ns=due_ns)
        stream.request_id = request_id
        self.active += 1
        self.push(connection, stream)
        if asks.early and stream.head:
            self.send(connection, stream.head)
            stream.head = b""

    def push(self, connection: Connection, stream: Stream) -> None:
        """Queue a stream's next moment; ties go in order of arrival."""
        self.order += 1
        heapq.heappush(self.due, (stream.due_ns, self.order, connection, stream))

    def send_due(self) -> None:
        """Send what is due, at most a batch."""
        for _ in range(BATCH):
            if not self.due or self.due[0][0] > time.monotonic_ns():
                return
            _, _, connection, stream = heapq.heappop(self.due)
            if connection.stream is not stream:
                continue  # its client went away
            try:
                self.send_tokens(connection, stream)
            except OSError:
                self.close(connection)
            if connection.spent:
                self.close(connection)

    def send_tokens(self, connection: Connection, stream: Stream) -> None:
        """One step of one stream."""
        now = time.monotonic_ns()
        if len(connection.outbox) > MAX_PENDING:
            stream.due_ns = now + 1_000_000
            self.push(connection, stream)
            return
        late_ns = now - stream.due_ns
        stream.late_ns = max(stream.late_ns, late_ns)
        self.lateness.take(late_ns)
        data = stream.next_bytes()
        stream.last_ns = time.monotonic_ns()
        stream.first_ns = stream.first_ns or stream.last_ns
        self.send(connection, data)
        if stream.sent < stream.tokens:
            stream.due_ns += stream.step_ns
            self.push(connection, stream)
            return
        connection.stream = None
        self.active -= 1
        self.write_log(
            id=stream.request_id, recv_ns=stream.recv_ns, first_ns=stream.first_ns, last_ns=stream.last_ns,
            n=stream.tokens, max_late_us=stream.late_ns // 1000, end_ns=time.monotonic_ns(),
        )  # fmt: skip
        self.next_request(connection, time.monotonic_ns())

    def send(self, connection: Connection, data: bytes) -> None:
        """Write now what the socket takes, the rest when it can take more. Raises OSError when the client is gone."""
        waiting = connection.outbox
        if waiting:
            waiting += data
        try:
            sent = connection.sock.send(waiting or data) if waiting or data else 0
        except BlockingIOError:
            sent = 0
        if waiting:
            del waiting[:sent]
        elif sent < len(data):
            waiting += data[sent:]
        else:
            return
        mask = selectors.EVENT_READ | (selectors.EVENT_WRITE if waiting else 0)
        self.selector.modify(connection.sock, mask, connection)

    def close(self, connection: Connection) -> None:
        """Let a client go; an answer still under way is logged as aborted."""
        if connection.sock.fileno() < 0:
            return
        self.selector.unregister(connection.sock)
        connection.sock.close()
        stream, connection.stream = connection.stream, None
        if stream is not None:
            self.active -= 1
            self.write_log(id=stream.request_id, aborted=True, sent=stream.sent)

    def write_log(self, **row: object) -> None:
        """One line; the disk comes later."""
        if self.log is not None:
            self.log.write(json.dumps(row, separators=(",", ":")) + "\n")
            self.unflushed += 1

    def flush(self) -> None:
        """Give the log to its readers at least every 0.2 s, and whenever nothing is under way."""
        now = time.monotonic_ns()
        if self.log is not None and self.unflushed and (not self.active or now - self.flushed_ns > FLUSH_NS):
            self.log.flush()
            self.unflushed, self.flushed_ns = 0, now


def wall_minus_monotonic_ns() -> int:
    """How far the wall clock is ahead of the monotonic one, from the closest of five pairs of readings."""
    pairs = []
    for _ in range(5):
        before, wall = time.monotonic_ns(), time.time_ns()
        after = time.monotonic_ns()
        pairs.append((after - before, wall - (before + after) // 2))
    return min(pairs)[1]


def main(arguments: Sequence[str] | None = None) -> None:
    """Serve until stdin closes."""
    parser = argparse.ArgumentParser(prog="core.servers.paced", description="A server that paces its tokens exactly.")
    parser.add_argument("--port", type=int, default=0, help="0 lets the system choose")
    parser.add_argument("--log", type=Path, help="file for one JSON line a request")
    options = parser.parse_args(arguments)
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is the parent's: it closes stdin when it has finished
    allow_many_sockets()
    with contextlib.ExitStack() as open_files:
        log = open_files.enter_context(options.log.open("w")) if options.log else None
        simulator = Simulator(options.port, log)
        sys.stdout.write(simulator.address + "\n")
        sys.stdout.flush()
        gc.freeze()
        gc.disable()  # nothing here makes cycles; a collection would be a late token
        simulator.run()


if __name__ == "__main__":
    main()
