"""The ASGI app: Streamlit's pages behind the access rule. Start it with `streamlit run app.py`; it draws nothing."""

import logging
import os
import secrets
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import anyio.to_thread
import streamlit as st
from starlette.middleware import Middleware

from core.access import AccessRule, Guard
from core.words import say
from pages.parts import state
from pages.parts.look import problem
from pages.parts.routes import ROUTES
from storage.database import default_path
from storage.opening import address_file

LOG = logging.getLogger("paceline")
ROOT = Path(__file__).parent


@asynccontextmanager
async def lifespan(_: st.App) -> AsyncIterator[None]:
    """Open before the first page, so that a died app's runs are set right at once; at the end stop all we started.

    What cannot be opened ends the start: one sentence, a status that is not 0, and nothing is served.
    """
    fault = await anyio.to_thread.run_sync(state.open_early)
    if fault:
        logging.getLogger("uvicorn.error").disabled = True  # it would put a traceback behind the sentence
        sys.stderr.write(f"{fault}\n")
        sys.exit(1)
    where = own_address()
    address_file(default_path()).write_text(where, encoding="utf-8")
    sys.stdout.write(say("Paceline: {address} (Ctrl-C ends it)", address=where) + "\n")
    sys.stdout.flush()
    try:
        yield
    finally:
        address_file(default_path()).unlink(missing_ok=True)
        await anyio.to_thread.run_sync(state.close)


def own_address() -> str:
    """Where this app answers on this machine, for `cli.py export`."""
    address = st.get_option("server.address") or "127.0.0.1"
    host = "127.0.0.1" if address in {"0.0.0.0", "::"} else address  # noqa: S104 -- compared, not listened on
    return f"http://{f'[{host}]' if ':' in host else host}:{st.get_option('server.port')}"


def on_script_error(_: Exception) -> bool:
    """One sentence and an id on the page; the traceback is in the log, which Streamlit wrote just before."""
    error_id = secrets.token_hex(4)
    LOG.error("The error above is %s.", error_id)
    problem(
        say(
            "This page could not be drawn (error {id}). The log where Paceline was started says why; "
            "running benchmarks go on.",
            id=error_id,
        )
    )
    return True


rule = AccessRule.from_environment(os.environ)
refusal = rule.refusal(st.get_option("server.address"))
if refusal:
    sys.exit(refusal)

app = st.App(
    ROOT / "pages" / "parts" / "navigation.py",
    routes=ROUTES,
    middleware=[Middleware(Guard, rule=rule, origins=st.get_option("server.corsAllowedOrigins"))],
    lifespan=lifespan,
    on_script_error=on_script_error,
)
