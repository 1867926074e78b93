"""A small real server for tests: it answers bytes as told, one connection a request, and keeps what it was asked."""

import contextlib
import json
import socket
import ssl
import threading
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path

RECORDINGS = Path(__file__).parents[1] / "recordings"


@dataclass(frozen=True)
class Asked:
    """One request as it came."""

    method: str
    path: str
    headers: dict[str, str]
    body: bytes

    @property
    def json(self):
        return json.loads(self.body)


Part = bytes | float  # bytes are sent, a float is a pause in seconds
Answer = bytes | Callable[[Asked], Iterable[Part] | bytes]


class AnsweringServer:
    """Answers by (method and path); everything else is a 404. Use as a context manager."""

    def __init__(self, answers: dict[str, Answer], *, tls: ssl.SSLContext | None = None, host: str = "127.0.0.1"):
        self.answers = answers
        self.asked: list[Asked] = []
        self._tls = tls
        self._stop = threading.Event()
        self._listener = socket.create_server((host, 0), family=socket.AF_INET6 if ":" in host else socket.AF_INET)
        self.port = self._listener.getsockname()[1]
        self._threads = [threading.Thread(target=self._accept, daemon=True)]

    @property
    def base_url(self) -> str:
        return f"{'https' if self._tls else 'http'}://127.0.0.1:{self.port}/v1"

    def paths(self) -> list[str]:
        return [f"{asked.method} {asked.path}" for asked in self.asked]

    def __enter__(self):
        self._threads[0].start()
        return self

    def __exit__(self, *_exc):
        self._stop.set()
        with contextlib.suppress(OSError):
            self._listener.shutdown(socket.SHUT_RDWR)
        self._listener.close()
        for thread in self._threads:
            thread.join(5)

    def _accept(self):
        while not self._stop.is_set():
            try:
                sock, _ = self._listener.accept()
            except OSError:
                return
            thread = threading.Thread(target=self._serve, args=(sock,), daemon=True)
            self._threads.append(thread)
            thread.start()

    def _serve(self, sock: socket.socket):
        sock.settimeout(20)
        with contextlib.suppress(OSError), contextlib.ExitStack() as stack:
            stack.callback(sock.close)
            if self._tls is not None:
                sock = self._tls.wrap_socket(sock, server_side=True)
                stack.callback(sock.close)
            asked = _read(sock)
            if asked is None:
                return
            self.asked.append(asked)
            answer = self.answers.get(
                f"{asked.method} {asked.path}", self.answers.get("*", reply(404, {"detail": "Not Found"}))
            )
            for part in _parts(answer(asked) if callable(answer) else answer):
                if isinstance(part, float):
                    if self._stop.wait(part):
                        return
                else:
                    sock.sendall(part)
            sock.shutdown(socket.SHUT_WR)
            while sock.recv(4096):
                pass


def reply(status: int, body, *headers: str, content_type: str | None = None) -> bytes:
    """A whole answer: JSON of a dict or list, HTML or text of a string."""
    if isinstance(body, str | bytes):
        data = body.encode() if isinstance(body, str) else body
        content_type = content_type or "text/html"
    else:
        data, content_type = json.dumps(body).encode(), content_type or "application/json"
    lines = [
        f"HTTP/1.1 {status} X",
        f"content-type: {content_type}",
        f"content-length: {len(data)}",
        "connection: close",
    ]
    return "\r\n".join([*lines, *headers, "", ""]).encode() + data


def models(*names: str, owned_by: str = "someone", **more) -> bytes:
    """A model list."""
    rows = [{"id": name, "object": "model", "owned_by": owned_by, **more} for name in names]
    return reply(200, {"object": "list", "data": rows})


def recording(name: str) -> bytes:
    """The raw answer of a real engine."""
    return (RECORDINGS / f"{name}.http").read_bytes()


def paced(name: str, pause_s: float = 0.003) -> Callable[[Asked], Iterable[Part]]:
    """A recorded stream with a pause after each event, as it was when it was recorded."""

    def answer(_asked: Asked) -> Iterable[Part]:
        head, _, body = recording(name).partition(b"\r\n\r\n")
        yield head + b"\r\n\r\n"
        for piece in body.split(b"\n\n"):
            yield piece if piece == body.rsplit(b"\n\n", 1)[-1] else piece + b"\n\n"
            yield pause_s

    return answer


def stream(
    *events, pause_s: float = 0.0, done: bool = True, headers: tuple[str, ...] = ()
) -> Callable[[Asked], Iterable[Part]]:
    """An event stream, each event in its own write."""

    def answer(_asked: Asked) -> Iterable[Part]:
        head = ["HTTP/1.1 200 OK", "content-type: text/event-stream", "connection: close", *headers, "", ""]
        yield "\r\n".join(head).encode()
        for event in events:
            yield b"data: " + json.dumps(event).encode() + b"\n\n"
            yield pause_s
        if done:
            yield b"data: [DONE]\n\n"

    return answer


def tokens(*texts: str, usage: bool = True, **more) -> list[dict]:
    """The events of a chat answer."""
    events: list[dict] = [{"choices": [{"index": 0, "delta": {"role": "assistant", "content": ""}}], **more}]
    events += [{"choices": [{"index": 0, "delta": {"content": text}}], **more} for text in texts]
    events.append({"choices": [{"index": 0, "delta": {}, "finish_reason": "stop"}], **more})
    if usage:
        counts = {"prompt_tokens": 9, "completion_tokens": len(texts), "total_tokens": 9 + len(texts)}
        events.append({"choices": [], "usage": counts, **more})
    return events


def chat(*texts: str, **kwargs) -> Callable[[Asked], Iterable[Part]]:
    """A streamed chat answer of ten tokens at an even pace."""
    return stream(
        *tokens(*(texts or ("one ", "two ", "three ", "four ", "five ", "six "))), **({"pause_s": 0.004} | kwargs)
    )


def _parts(answer: Iterable[Part] | bytes) -> Iterable[Part]:
    return [answer] if isinstance(answer, bytes) else answer


def _read(sock: socket.socket) -> Asked | None:
    data = b""
    while b"\r\n\r\n" not in data:
        more = sock.recv(65536)
        if not more:
            return None
        data += more
        if data.startswith(b"\x16\x03"):  # TLS, where none is spoken: what web servers say to it
            sock.sendall(reply(400, "Invalid HTTP request received.", content_type="text/plain"))
            return None
    head, _, body = data.partition(b"\r\n\r\n")
    first, *lines = head.decode("latin-1").split("\r\n")
    headers = {name.lower(): value.strip() for name, _, value in (line.partition(":") for line in lines)}
    length = int(headers.get("content-length", 0))
    while len(body) < length:
        body += sock.recv(65536)
    method, path, _ = first.split(" ", 2)
    return Asked(method=method, path=path, headers=headers, body=body)


def free_port() -> int:
    """A port where nothing listens."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        return listener.getsockname()[1]


def wait_until(condition: Callable[[], bool], seconds: float = 20.0) -> None:
    """Wait for something to become true; fails if it does not."""
    ends = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < ends, "it did not come true in time"
        time.sleep(0.005)
