"""Who makes a plan's server answer, where Paceline starts it itself. Only the shape; no server is known here."""

from collections.abc import Callable
from typing import Any, Protocol

from core.plan import RunPlan


class HostError(Exception):
    """A server could not be made to answer; the message is a sentence."""


class Host(Protocol):
    """Serves the plans of one experiment."""

    def ready(self, plan: RunPlan, say_progress: Callable[[str], None]) -> tuple[RunPlan, dict[str, Any]]:
        """The plan with a real address, and what is known of the server. Raises HostError.

        `say_progress` is called now and then and may raise HostError to give up.
        """

    def release(self) -> None:
        """Stop what was started."""
