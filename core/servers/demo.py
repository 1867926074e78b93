"""The built-in servers: which run, where they listen, that none is left behind. Never measures anything."""

import contextlib
import dataclasses
import http.client
import importlib.metadata
import importlib.util
import json
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from core.endpoint import SIMULATED
from core.servers import variants
from core.servers.child import Child, StartError
from core.servers.pace import MODELS
from core.servers.variants import Progress, Variant, VariantError
from core.version import VERSION
from core.words import say

START_S = 30.0
ANSWER_S = 5.0  # a machine at its limits answers late
STOP_S = 0.3  # neither server has anything to save; one that is still loading its model does not see that it shall end


class DemoError(RuntimeError):
    """A built-in server that did not start. The message is a sentence, with the last of its stderr if it had one."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RunningServer:
    """A built-in server that answers.

    Attributes:
        name: The variant it serves, or "simulated".
        details: What the engine says of its model: ftype, n_params, size, n_ctx; empty for the simulator.
    """

    name: str
    base_url: str
    model: str
    pid: int
    engine: str
    version: str
    details: dict[str, Any] = field(default_factory=dict)


@dataclass(slots=True, kw_only=True)
class _Entry:
    child: Child
    server: RunningServer
    users: int = 1


class DemoServers:
    """Starts built-in servers and counts who uses them. Safe to call from any thread."""

    def __init__(self, cache: Path | None = None) -> None:
        """`cache` holds the made model files; None is the usual place."""
        self._cache = cache
        self._starting = threading.Lock()  # one start at a time: they are heavy
        self._state = threading.Lock()  # short, so that stop_all never waits for a start
        self._entries: dict[str, _Entry] = {}
        self._children: set[Child] = set()  # those of starts under way, too
        self._stops = 0

    def start(self, name: str, *, progress: Progress | None = None) -> RunningServer:
        """A server that answers, for a variant or "simulated"; one that already runs is shared.

        Each start is paired with one `stop`. `progress` may raise to give up. Raises DemoError.
        """
        with self._starting:
            with self._state:
                stops, entry = self._stops, self._entries.get(name)
            if entry is not None:
                if _answers(entry) and self._share(name, entry):
                    return entry.server
                self._end(name, entry)

            def tell(share: float, words: str) -> None:
                if self._stops != stops:
                    raise DemoError(say("{name} was not started: Paceline is closing.", name=name))
                if progress is not None:
                    progress(share, words)

            return self._launch(name, stops, tell)

    @contextlib.contextmanager
    def running(self, name: str, *, progress: Progress | None = None) -> Iterator[RunningServer]:
        """A server for the length of a `with` block."""
        server = self.start(name, progress=progress)
        try:
            yield server
        finally:
            self.stop(server)

    def stop(self, server: RunningServer) -> None:
        """One user fewer; the last one ends the process. A server that is already gone is no fault."""
        with self._state:
            entry = self._entries.get(server.name)
            if entry is None or entry.server.pid != server.pid:
                return
            entry.users -= 1
            if entry.users > 0:
                return
            del self._entries[server.name]  # from here on nobody can share it
        self._end(server.name, entry)

    def stop_all(self) -> None:
        """End every server and every start under way."""
        with self._state:
            self._stops += 1
            children, self._children = self._children, set()
            self._entries.clear()
        for child in children:
            child.stop(STOP_S)

    def answers(self, server: RunningServer) -> bool:
        """Whether a server still does; one that hangs is alive and does not."""
        with self._state:
            entry = self._entries.get(server.name)
        return entry is not None and entry.server is server and _answers(entry)

    def lateness(self, server: RunningServer) -> dict[str, Any]:
        """How late the simulator was since the last call, "late_p99_s" and "late_max_s"; {} of anything else."""
        if server.name != SIMULATED:
            return {}
        found = _read(server.base_url.removesuffix("/v1"), "/lateness") or {}
        return {name: found[name] for name in ("late_p99_s", "late_max_s") if found.get(name) is not None}

    def _share(self, name: str, entry: _Entry) -> bool:
        """One user more, unless its last one has just left."""
        with self._state:
            if self._entries.get(name) is not entry:
                return False
            entry.users += 1
            return True

    def _end(self, name: str, entry: _Entry) -> None:
        with self._state:
            if self._entries.get(name) is entry:
                del self._entries[name]
            self._children.discard(entry.child)
        entry.child.stop(STOP_S)

    def _let_go(self, child: Child) -> None:
        with self._state:
            self._children.discard(child)

    def _launch(self, name: str, stops: int, progress: Progress) -> RunningServer:
        try:
            child = self._child(name, progress)
        except VariantError as fault:
            raise DemoError(str(fault)) from None
        with contextlib.ExitStack() as on_failure:
            on_failure.callback(self._let_go, child)
            on_failure.callback(child.stop, STOP_S)
            with self._state:
                self._children.add(child)
            starting = say("Starting {name}", name=name)  # telling it also looks whether all was stopped meanwhile
            server = _wait(name, child, time.monotonic() + START_S, lambda: progress(1.0, starting))
            with self._state:
                if self._stops != stops:
                    raise DemoError(say("{name} was not started: Paceline is closing.", name=name))
                self._entries[name] = _Entry(child=child, server=server)
            on_failure.pop_all()
        return server

    def _child(self, name: str, progress: Progress) -> Child:
        if name == SIMULATED:
            return Child("core.servers.paced", ["--port", "0"])
        if importlib.util.find_spec("xllamacpp") is None:
            raise DemoError(say("The built-in engine is not installed: run `make setup`, or `pip install xllamacpp`."))
        chosen = variants.variant(name)
        return engine(variants.variant_file(name, self._cache, progress), chosen)


def engine(file: Path, variant: Variant) -> Child:
    """Start the engine on a model file; its first line will be its address."""
    numbers = {"--slots": variant.slots, "--context": variant.context, "--batch": variant.batch}
    options = [word for flag, number in numbers.items() for word in (flag, str(number))]
    return Child("core.servers.engine_child", [str(file.resolve()), "--alias", variants.MODEL, *options])


def _wait(name: str, child: Child, until: float, tick: Callable[[], None]) -> RunningServer:
    """The server once it answers; `tick` may raise to give up. Raises DemoError."""
    try:
        address = child.line(until - time.monotonic(), tick=tick)
        if name == SIMULATED:
            return RunningServer(
                name=name, base_url=address, model=MODELS[0], pid=child.pid, engine=SIMULATED, version=VERSION
            )
        _wait_for_health(child, address, until, tick)
        server = RunningServer(
            name=name, base_url=f"{address}/v1", model=variants.MODEL, pid=child.pid, engine="llama.cpp",
            version=importlib.metadata.version("xllamacpp"),
        )  # fmt: skip
        return dataclasses.replace(server, details=_model_details(address))
    except StartError as fault:
        raise DemoError(say("The built-in server {name} did not start. {fault}", name=name, fault=fault)) from None


def _answers(entry: _Entry) -> bool:
    address = entry.server.base_url.removesuffix("/v1")
    return entry.child.alive and _read(address, "/health") is not None


def _wait_for_health(child: Child, address: str, until: float, tick: Callable[[], None]) -> None:
    while _read(address, "/health") is None:
        tick()
        if not child.alive or time.monotonic() > until:
            raise StartError(child.sentence(say("It listens but did not become ready.")))
        time.sleep(0.05)


def _model_details(address: str) -> dict[str, Any]:
    """What the engine lists of its model, as far as it has the usual shape."""
    listed = _read(address, "/v1/models")
    rows = listed.get("data") if listed else None
    meta = rows[0].get("meta") if isinstance(rows, list) and rows and isinstance(rows[0], dict) else None
    return meta if isinstance(meta, dict) else {}


def _read(address: str, path: str) -> dict[str, Any] | None:
    """A JSON object from our own server, None while it has none to give."""
    parts = urlsplit(address)
    connection = http.client.HTTPConnection(parts.hostname or "", parts.port, timeout=ANSWER_S)
    try:
        connection.request("GET", path)
        answer = connection.getresponse()
        body = json.loads(answer.read()) if answer.status == 200 else None
    except (OSError, http.client.HTTPException, ValueError):
        return None
    finally:
        connection.close()
    return body if isinstance(body, dict) else None
