"""Where requests go, and when one is given up: frozen values that refuse nonsense. Never knows a key's value."""

import re
from dataclasses import dataclass, field
from typing import Final, Literal

from core.base_url import normal_base_url, require
from core.plan_checks import above_zero, flag, text, whole

Api = Literal["chat", "completions"]
SIMULATED: Final = "simulated"  # what `demo` says of an endpoint without a model, and what people read of it
MAX_TOTAL_S = 1800.0  # chunk times are INTEGER microseconds in the database: 30 minutes fit
KEY_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_.-]{0,99}")
HEADER_NAME = re.compile(r"[!#$%&'*+.^_`|~0-9A-Za-z-]+")
OWN_HEADERS = frozenset(
    {"host", "content-length", "transfer-encoding", "connection", "accept-encoding", "x-request-id"}
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """When a request or a run is given up; seconds unless said.

    Attributes:
        error_share: The run stops when more than this share of at least 20 ended requests failed.
        max_output_tokens: The run stops once this many output tokens came; None is no cap.
    """

    connect_s: float = 10.0
    first_byte_s: float = 300.0
    idle_s: float = 120.0
    total_s: float = MAX_TOTAL_S
    error_share: float = 0.9
    max_requests: int = 1_000_000
    max_output_tokens: int | None = None

    def __post_init__(self) -> None:
        """Refuse limits that end every request or none."""
        for name in ("connect_s", "first_byte_s", "idle_s", "total_s"):
            above_zero(name, getattr(self, name), MAX_TOTAL_S)
        above_zero("error_share", self.error_share, 1)
        whole("max_requests", self.max_requests, 1, 10_000_000)
        if self.max_output_tokens is not None:
            whole("max_output_tokens", self.max_output_tokens, 1, 10**12)


@dataclass(frozen=True, slots=True, kw_only=True)
class Endpoint:
    """Where requests go. Holds the name of a key, never its value.

    Attributes:
        headers: Extra headers as (name, value) pairs; secrets belong in a key, not here.
        key_name: A name under [api_keys] in secrets.toml, or of an environment variable.
        verify: False accepts any certificate; `ca_file` names one to trust instead of the system's.
        demo: "" for an endpoint of the user's; "llama.cpp" for the bundled engine; "simulated" for the paced simulator.
    """

    name: str
    base_url: str
    api: Api = "chat"
    key_name: str | None = None
    headers: tuple[tuple[str, str], ...] = ()
    verify: bool = True
    ca_file: str | None = None
    limits: Limits = field(default_factory=Limits)
    notes: str = ""
    demo: Literal["", "llama.cpp", "simulated"] = ""

    def __post_init__(self) -> None:
        """Normalise the address and refuse what cannot be sent."""
        text("ca_file", self.ca_file, 4096, none=True)
        text("notes", self.notes, 20_000)
        text("api", self.api, 100)
        require(self.demo in ("", "llama.cpp", SIMULATED), "demo is not known: leave it empty.")
        require(0 < len(self.name.strip()) <= 120, "Endpoint name is empty or longer than 120 characters: shorten it.")
        require(self.api in ("chat", "completions"), "api is {api}: choose chat or completions.", api=self.api)
        object.__setattr__(self, "base_url", normal_base_url(self.base_url))
        flag("verify", self.verify)
        if self.key_name is not None:
            require(
                bool(KEY_NAME.fullmatch(self.key_name)),
                "Key name has characters that a name cannot have: write the name of the key, never the key itself.",
            )
        for name, value in self.headers:
            require(
                bool(HEADER_NAME.fullmatch(name)),
                "Header name {name!r} is not valid: use letters, digits and dashes.",
                name=name,
            )
            require(name.lower() not in OWN_HEADERS, "Header {name} is set by Paceline itself: remove it.", name=name)
            require(
                not re.search(r"[\r\n\0]", value), "Header {name} has a line break in its value: remove it.", name=name
            )
            require(value.isascii() or value.isprintable(), "Header {name} has a value that cannot be sent.", name=name)
