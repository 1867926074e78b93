"""The app's own pages reach it under both names of this machine; a page of another port of this machine does not."""

import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest
from playwright.sync_api import expect

OPEN_SOCKET = """port => new Promise(done => {
  const line = new WebSocket(`ws://127.0.0.1:${port}/_stcore/stream`, ["streamlit"]);
  line.onopen = () => done("open");
  line.onerror = () => done("refused");
})"""


class Foreign(BaseHTTPRequestHandler):
    """Somebody else's page on this machine."""

    def do_GET(self) -> None:
        """Any page."""
        self.send_response(200)
        self.send_header("Content-Type", "text/html")
        self.end_headers()
        self.wfile.write(b"<!doctype html><title>foreign</title>")

    def log_message(self, *_: object) -> None:
        """Say nothing."""


@pytest.fixture
def foreign():
    """The address of that page."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), Foreign)
    thread = threading.Thread(target=server.serve_forever, args=(0.05,), daemon=True)
    thread.start()
    yield f"http://127.0.0.1:{server.server_port}/"
    server.shutdown()
    server.server_close()
    thread.join()


@pytest.mark.parametrize("name", ["127.0.0.1", "localhost"])
def test_the_pages_are_drawn_under_both_names_without_a_complaint_of_the_browser(app, visitor, name):
    page = visitor.goto(f"http://{name}:{app.port}/endpoints")

    expect(page.get_by_test_id("stMarkdownContainer").filter(has_text="Built-in llama.cpp").first).to_be_visible()
    assert page.evaluate(OPEN_SOCKET.replace("127.0.0.1", name), app.port) == "open"


def test_a_page_of_another_port_does_not_reach_it(app, visitor, foreign):
    visitor.page.goto(foreign)

    assert visitor.page.evaluate(OPEN_SOCKET, app.port) == "refused"
    visitor.leave()


def test_a_page_of_the_app_reaches_no_other_port(app, visitor, foreign):
    page = visitor.goto(f"{app.address}/glossary")
    tell = "address => fetch(address, {mode: 'no-cors'}).then(() => 'told', () => 'kept')"

    assert page.evaluate(tell, foreign) == "kept"
    assert page.evaluate(OPEN_SOCKET, app.port + 1) == "refused"
    assert any("Content Security Policy" in line for line in visitor.complaints)
    visitor.leave()
