"""An endpoint that lists one model and answers each prompt with the same refusal. Knows no probe."""

import json
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Self


class RefusingServer:
    """`with RefusingServer(401, "no such key") as server:` listens on a free port."""

    def __init__(self, status: int, message: str, *, model: str = "house-model", open_list: bool = True) -> None:
        """Refuse with `status` and `message`; `open_list` lets anybody see the models."""
        refusal = json.dumps({"error": {"message": message, "type": "invalid_request_error", "code": None}}).encode()
        listed = json.dumps({"object": "list", "data": [{"id": model, "object": "model"}]}).encode()

        class Answer(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def reply(self, code: int, body: bytes) -> None:
                self.send_response(code)
                self.send_header("Content-Type", "application/json")
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            def do_GET(self) -> None:
                if self.path.endswith("/models") and open_list:
                    self.reply(200, listed)
                else:
                    self.reply(status, refusal)

            def do_POST(self) -> None:
                self.rfile.read(int(self.headers.get("Content-Length") or 0))
                self.reply(status, refusal)

            def log_message(self, *_: Any) -> None:
                """Say nothing."""

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Answer)
        self._server.daemon_threads = True
        self.base_url = f"http://127.0.0.1:{self._server.server_port}/v1"

    def __enter__(self) -> Self:
        """Listen."""
        threading.Thread(target=self._server.serve_forever, args=(0.05,), daemon=True).start()
        return self

    def __exit__(self, *_: object) -> None:
        """Stop."""
        self._server.shutdown()
        self._server.server_close()
