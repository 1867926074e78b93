"""Makes the built-in servers answer for an experiment's plans, one at a time. Never measures.

One at a time, because two engines on a small machine would slow each other down.
"""

from collections.abc import Callable
from typing import Any

from core.fleet.hosting import HostError
from core.plan import PlanError, RunPlan
from core.servers.builtin import server_name, with_address
from core.servers.demo import DemoError, DemoServers, RunningServer
from core.words import say


class BuiltinHost:
    """The `Host` of one experiment."""

    def __init__(self, servers: DemoServers) -> None:
        """`servers` belong to the app: another session may use one of them, too."""
        self._servers = servers
        self._current: RunningServer | None = None

    def ready(self, plan: RunPlan, say_progress: Callable[[str], None]) -> tuple[RunPlan, dict[str, Any]]:
        """The plan with a real address, and what is known of the server. Raises HostError."""

        def progress(share: float, words: str) -> None:
            say_progress(words if share in (0.0, 1.0) else say("{words}: {share:.0%}", words=words, share=share))

        try:
            name = server_name(plan)
            if self._current is not None and self._current.name != name:
                self.release()
            if self._current is not None and not self._servers.answers(self._current):
                self.release()  # it died or hangs; the next start says why if it cannot
            if self._current is None:
                self._current = self._servers.start(name, progress=progress)
        except (DemoError, PlanError) as fault:
            raise HostError(str(fault)) from None
        server = self._current
        self._servers.lateness(server)  # what was before this run does not count
        known = {"engine": server.engine, "version": server.version, "model": server.model, **server.details}
        return with_address(plan, server), known

    def served(self) -> dict[str, Any]:
        """How late the simulator was since its run began."""
        return {} if self._current is None else self._servers.lateness(self._current)

    def release(self) -> None:
        """The experiment needs no server any more."""
        server, self._current = self._current, None
        if server is not None:
            self._servers.stop(server)
