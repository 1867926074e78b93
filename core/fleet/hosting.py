"""Makes built-in servers answer for the length of one experiment. Knows which were started, nothing of requests."""

from collections.abc import Callable
from typing import Any

from core.fleet.registry import HostError
from core.plan import RunPlan
from core.servers.builtin import server_name, with_address
from core.servers.demo import DemoError, DemoServers, RunningServer
from core.words import say


class BuiltinHost:
    """Starts each server once an experiment and keeps it until `release`: an idle one costs no CPU."""

    def __init__(self, servers: DemoServers) -> None:
        self._servers = servers
        self._started: dict[str, RunningServer] = {}

    def ready(self, plan: RunPlan, say_progress: Callable[[str], None]) -> tuple[RunPlan, dict[str, Any]]:
        """The plan with the running server's address, and what the server says of itself. Raises HostError."""
        name = server_name(plan)

        def progress(share: float, words: str) -> None:
            say_progress(say("{words} ({share:.0%})", words=words, share=share) if share < 1 else words)

        try:
            if name not in self._started:
                self._started[name] = self._servers.start(name, progress=progress)
        except DemoError as fault:
            raise HostError(str(fault)) from None
        server = self._started[name]
        told = {"engine": server.engine, "version": server.version, "model": server.model, **server.details}
        return with_address(plan, server), told

    def release(self) -> None:
        """Stop what this experiment started."""
        for server in self._started.values():
            self._servers.stop(server)
        self._started.clear()
