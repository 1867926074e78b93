"""An LLM server of a few words behind TLS, a key or both: it answers whoever brings the right key. Knows no probe."""

import json
import ssl
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Self

MODEL, WORDS = "guarded-model", ("one ", "two ", "three ", "four ", "five ", "six ")
PACE_S = 0.01  # a pace, not a wait: a stream is told from a whole answer by it


class Listener(ThreadingHTTPServer):
    """Answers each connection in a thread; knows the key to ask for, and what was sent in its place."""

    daemon_threads = True

    def __init__(self, key: str | None) -> None:
        """Listen on a free port."""
        super().__init__(("127.0.0.1", 0), Answer)
        self.key, self.sent = key, list[str | None]()


class Answer(BaseHTTPRequestHandler):
    """One model, listed and streamed."""

    protocol_version = "HTTP/1.1"
    server: Listener

    def do_GET(self) -> None:
        """The list."""
        if not self.admitted():
            return
        if self.path == "/v1/models":
            self.reply(200, {"object": "list", "data": [{"id": MODEL, "object": "model"}]})
        else:
            self.reply(404, {"detail": "Not Found"})

    def do_POST(self) -> None:
        """The stream."""
        if not self.admitted():
            return
        self.send_response(200)
        self.send_header("Content-Type", "text/event-stream")
        self.send_header("Transfer-Encoding", "chunked")
        self.end_headers()
        for word in WORDS:
            self.event({"choices": [{"index": 0, "delta": {"content": word}}]})
            time.sleep(PACE_S)
        counts = {"prompt_tokens": 9, "completion_tokens": len(WORDS), "total_tokens": 9 + len(WORDS)}
        self.event({"choices": [{"index": 0, "delta": {}, "finish_reason": "stop"}]})
        self.event({"choices": [], "usage": counts})
        self.chunk(b"data: [DONE]\n\n")
        self.chunk(b"")

    def admitted(self) -> bool:
        """Whether the right key came; a refusal is answered here."""
        self.rfile.read(int(self.headers.get("Content-Length") or 0))
        given = self.headers.get("Authorization")
        self.server.sent.append(given)
        if self.server.key is None or given == f"Bearer {self.server.key}":
            return True
        self.reply(401, {"error": {"message": "Incorrect API key provided."}})
        return False

    def reply(self, status: int, body: Any) -> None:
        """A whole answer."""
        data = json.dumps(body).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def event(self, event: dict[str, Any]) -> None:
        """One event of the stream."""
        self.chunk(b"data: " + json.dumps(event).encode() + b"\n\n")

    def chunk(self, data: bytes) -> None:
        """One piece of the body."""
        self.wfile.write(f"{len(data):x}\r\n".encode() + data + b"\r\n")

    def log_message(self, *_: Any) -> None:
        """Say nothing."""


class GuardedServer:
    """`with GuardedServer(key="...", tls=context) as server:` listens; `sent` are the keys that came, None for none."""

    def __init__(self, *, key: str | None = None, tls: ssl.SSLContext | None = None) -> None:
        """Ask for `key`, None for none; speak TLS with `tls`, None for plain http."""
        self._server = Listener(key)
        self.sent = self._server.sent
        if tls is not None:
            # Hands are shaken in the connection's own thread: one that stays silent does not hold up the others.
            self._server.socket = tls.wrap_socket(self._server.socket, server_side=True, do_handshake_on_connect=False)
        self.port = self._server.server_port
        self.base_url = f"{'https' if tls else 'http'}://127.0.0.1:{self.port}/v1"

    def __enter__(self) -> Self:
        """Listen."""
        threading.Thread(target=self._server.serve_forever, args=(0.05,), daemon=True).start()
        return self

    def __exit__(self, *_: object) -> None:
        """Stop."""
        self._server.shutdown()
        self._server.server_close()
