"""What was known when something failed, and the shape of what is said about it. Holds values only."""

from collections.abc import Callable
from dataclasses import dataclass

from core.hosts import address, host_text
from core.keys import Key
from core.plan import Endpoint
from core.probing.page import Page
from core.probing.result import ProbeState
from core.probing.sign_in import SignIn
from core.records import Failure


@dataclass(frozen=True, slots=True, kw_only=True)
class Diagnosis:
    """What is wrong and what to do."""

    state: ProbeState
    what: str
    next_step: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Circumstances:
    """What was known when it failed.

    Attributes:
        asked: The path that was asked.
        better_url: A base URL under which a model list was found instead, None if none was.
        other_scheme: The server speaks the other of http and https.
    """

    endpoint: Endpoint
    key: Key | None = None
    asked: str = ""
    page: Page | None = None
    sign_in: SignIn | None = None
    model: str | None = None
    models: tuple[str, ...] = ()
    better_url: str | None = None
    other_scheme: bool = False

    @property
    def host(self) -> str:
        """The host as a person writes it."""
        return host_text(*address(self.endpoint.base_url))


Words = Callable[[Failure, Circumstances], Diagnosis]
