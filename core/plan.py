"""What shall be measured: frozen values that refuse nonsense when they are made. Never knows a key's value."""

import re
from dataclasses import asdict, dataclass, field, fields
from typing import Any, Literal, Self

from core.base_url import PlanError, normal_base_url, require
from core.plan_checks import above_zero, flag, json_object, number, text, whole
from core.words import say

__all__ = (
    "Api",
    "Configuration",
    "Endpoint",
    "Experiment",
    "Limits",
    "Load",
    "PlanError",
    "RunPlan",
    "Workload",
    "normal_base_url",
)

Api = Literal["chat", "completions"]
MAX_TOTAL_S = 1800.0  # chunk times are INTEGER microseconds in the database: 30 minutes fit
MAX_SEED = 2**53  # beyond it a JSON number is not read alike everywhere
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
        require(self.demo in ("", "llama.cpp", "simulated"), "demo is not known: leave it empty.")
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


@dataclass(frozen=True, slots=True, kw_only=True)
class Configuration:
    """What answers: a model in some form at an endpoint.

    Attributes:
        settings: What sets it apart, as (name, value) pairs: quantization, slots, batch, hardware ...
        slot: Its colour and marker for life, 0-based.
        variant: A demo variant such as "Q4_0", None for an endpoint of the user's.
    """

    id: str
    label: str
    endpoint: Endpoint
    model: str
    settings: tuple[tuple[str, str], ...] = ()
    slot: int = 0
    variant: str | None = None

    def __post_init__(self) -> None:
        """Refuse nameless configurations."""
        text("id", self.id, 300)
        require(bool(self.id), "id is empty: give the configuration an id.")
        text("variant", self.variant, 100, none=True)
        require(0 < len(self.label.strip()) <= 120, "Label is empty or longer than 120 characters: shorten it.")
        require(
            0 < len(self.model.strip()) <= 300,
            "Model is empty or longer than 300 characters: write the name that the server lists.",
        )
        require(not re.search(r"[\x00-\x1f]", self.model), "Model contains a control character: remove it.")
        whole("slot", self.slot, 0, 1_000_000)


@dataclass(frozen=True, slots=True, kw_only=True)
class Workload:
    """What is asked: random words of a length in tokens, new for every request, and the answer's length in tokens.

    Attributes:
        ignore_eos: Ask for exactly `output_tokens`; sent only if the endpoint accepts it.
        extra_body: Further keys of the request body, as a JSON object.
        nonce: Start every prompt with a unique word, so that no prefix cache helps.
        keep_text: Keep answer texts with the records.
    """

    input_tokens: int = 128
    output_tokens: int = 128
    stream: bool = True
    temperature: float | None = 0.0
    ignore_eos: bool = False
    extra_body: dict[str, Any] = field(default_factory=dict)
    nonce: bool = True
    seed: int = 0
    keep_text: bool = True

    def __post_init__(self) -> None:
        """Refuse lengths no server takes and keys that are Paceline's."""
        whole("Prompt length", self.input_tokens, 1, 1_000_000)
        whole("Answer length", self.output_tokens, 1, 100_000)
        if self.temperature is not None:
            number("Temperature", self.temperature, 0, 100)
        whole("Seed", self.seed, -MAX_SEED, MAX_SEED)
        for name in ("stream", "ignore_eos", "nonce", "keep_text"):
            flag(name, getattr(self, name))
        json_object("Extra body", self.extra_body)
        taken = {"model", "messages", "prompt", "stream"} & set(self.extra_body)
        require(
            not taken, "Extra body sets {keys}, which Paceline sets itself: remove them.", keys=", ".join(sorted(taken))
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Load:
    """How it is asked: a closed loop that keeps `concurrency` requests in flight, for a number or for a time.

    Attributes:
        requests: Measured requests; None if `duration_s` ends the run.
        duration_s: Seconds of sending; None if `requests` ends the run.
        warmup_requests: Sent before, with other prompts, outside every statistic.
    """

    concurrency: int = 1
    requests: int | None = 20
    duration_s: float | None = None
    warmup_requests: int = 1

    def __post_init__(self) -> None:
        """Refuse a load that never ends or never starts."""
        whole("Concurrency", self.concurrency, 1, 8192)
        require(
            (self.requests is None) != (self.duration_s is None),
            "Give either requests or seconds, not both and not neither.",
        )
        if self.requests is not None:
            whole("Requests", self.requests, 1, 1_000_000)
        if self.duration_s is not None:
            number("Seconds", self.duration_s, 0.1, 86_400)
        whole("Warm-up requests", self.warmup_requests, 0, 10_000)


@dataclass(frozen=True, slots=True, kw_only=True)
class RunPlan:
    """One run: one configuration, one workload, one load, its limits."""

    configuration: Configuration
    workload: Workload = field(default_factory=Workload)
    load: Load = field(default_factory=Load)

    @property
    def limits(self) -> Limits:
        """The limits that hold for this run: its endpoint's."""
        return self.configuration.endpoint.limits

    def to_dict(self) -> dict[str, Any]:
        """A JSON object without secrets; `from_dict` reads it back."""
        return asdict(self)

    @classmethod
    def from_dict(cls, found: dict[str, Any]) -> Self:
        """Read what `to_dict` wrote. Unknown keys are left out: later versions add some. Raises PlanError."""
        plan: Self = _read(cls, found)
        return plan


@dataclass(frozen=True, slots=True, kw_only=True)
class Experiment:
    """Configurations x loads of one workload, run one after the other, level by level over all configurations."""

    id: str
    name: str
    plans: tuple[RunPlan, ...]

    def __post_init__(self) -> None:
        """Refuse an experiment without a run."""
        require(bool(self.plans), "Nothing to run: choose at least one configuration and one level.")


NESTED: dict[str, type] = {
    "configuration": Configuration, "endpoint": Endpoint, "workload": Workload, "load": Load, "limits": Limits,
}  # fmt: skip


def _read(kind: Any, found: Any) -> Any:
    require(isinstance(found, dict), "{kind} is not a JSON object: export the plan again.", kind=kind.__name__)
    try:
        return kind(**{spec.name: _value(spec.name, found[spec.name]) for spec in fields(kind) if spec.name in found})
    except PlanError:
        raise
    except (TypeError, ValueError, AttributeError) as fault:
        raise PlanError(
            say("{kind} is incomplete or has a value of the wrong kind: {fault}.", kind=kind.__name__, fault=fault)
        ) from None


def _value(name: str, value: Any) -> Any:
    if name in NESTED:
        return _read(NESTED[name], value)
    if name in ("headers", "settings"):
        return tuple(_pair(*pair) for pair in value)
    return value


def _pair(name: object, value: object) -> tuple[str, str]:
    if type(name) is not str or type(value) is not str:
        raise TypeError(say("a name and its value have to be texts"))
    return name, value
