"""Who makes a plan's server answer, where Paceline starts it itself. Only the shape; no server is known here."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any, Protocol

from core.plan import RunPlan
from core.run import Run


class HostError(Exception):
    """A server could not be made to answer; the message is a sentence."""


class Host(Protocol):
    """Serves the plans of one experiment."""

    def ready(self, plan: RunPlan, say_progress: Callable[[str], None]) -> tuple[RunPlan, dict[str, Any]]:
        """The plan with a real address, and what is known of the server. Raises HostError.

        `say_progress` is called now and then and may raise HostError to give up.
        """

    def served(self) -> dict[str, Any]:
        """What is known of the server only after a run: how it did. May be empty."""

    def release(self) -> None:
        """Stop what was started."""


def with_served(run: Run, host: Host | None) -> Run:
    """The run with what its host knows of the server now that it has ended."""
    if host is None or not run.plan.configuration.endpoint.demo:
        return run
    server = {**run.environment.get("server", {}), **host.served()}
    return replace(run, environment={**run.environment, "server": server})
