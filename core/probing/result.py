"""What a probe found out, as frozen values that can be stored. Never asks anything, never knows a key's value."""

import dataclasses
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from typing import Any, Self

from core.records import Failure, FailureKind, TokenSource

UNKNOWN_ENGINE = "unknown"


class CheckState(StrEnum):
    """How one check ended: tick, cross, a tick with a doubt, or not reached."""

    YES = "yes"
    NO = "no"
    DOUBT = "doubt"
    NOT_TRIED = "not tried"


class ProbeState(StrEnum):
    """The endpoint in a word or two, for a chip."""

    READY = "ready"
    BUFFERED = "buffered"
    NOT_STREAMED = "not streamed"
    KEY_REFUSED = "key refused"
    KEY_MISSING = "key missing"
    UNREACHABLE = "unreachable"
    WRONG_ADDRESS = "wrong address"
    WRONG_MODEL = "wrong model"
    BUSY = "busy"
    TIMED_OUT = "timed out"
    FAULTY = "faulty"


class CheckName(StrEnum):
    """The rows of the checklist, in order."""

    KEY = "key"
    RESOLVES = "resolves"
    TLS = "tls"
    CONNECTS = "connects"
    MODELS = "models"
    ENGINE = "engine"
    ANSWERS = "answers"
    STREAMS = "streams"
    USAGE = "usage"


TITLES = {
    CheckName.KEY: "Key",
    CheckName.RESOLVES: "Address resolves",
    CheckName.TLS: "TLS",
    CheckName.CONNECTS: "Connects",
    CheckName.MODELS: "Models listed",
    CheckName.ENGINE: "Engine",
    CheckName.ANSWERS: "First token",
    CheckName.STREAMS: "Streams",
    CheckName.USAGE: "Sends usage",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Check:
    """One row of the checklist.

    Attributes:
        title: What was checked, for people.
        detail: What was seen: "10.8.0.4", "valid until 3 Mar 2027", "401". May quote the server: escape it.
    """

    name: CheckName
    title: str
    state: CheckState
    detail: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ProbeResult:
    """What an endpoint is and can do, or why it refuses. Texts may quote the server: escape them where shown.

    Attributes:
        at: When the probe began, UTC.
        duration_s: How long the probe took.
        engine: "vLLM", "llama.cpp" ...; "unknown" if what the server says does not agree.
        engine_facts: What the engine was told by, as sentences.
        model: The model that was asked; None if none was.
        models: Names the server lists, in its order, cut at 1,000.
        models_total: How many it lists; None if it lists none at all.
        max_model_len: Context length in tokens of `model`, as the server says.
        details: What the server says about the model, as (name, value): size, quantization ...
        streams: "yes", "in bursts" (several tokens at a time), "buffered" (all at once), "unclear" (it looked like one
            of these two, and that may have been this machine's own doing) or "no"; None if not tried.
        usage: Whether the answer ended with token counts.
        token_source: Where a run would take its token counts from; None if not tried.
        first_token_s: Of one tiny request on a warm connection: an indication, not a measurement.
        token_parameter: "max_tokens" or "max_completion_tokens": what the server accepts.
        problem: What stopped the probe, in the words of a run's failures; None if nothing did.
        what: The outcome in one sentence.
        sent: What was sent to whom and what came back; "" if nothing was.
        next_step: What to do; "" if nothing need be done.
        notes: Further sentences worth reading: changed parameters, redirects, plain http ...
    """

    endpoint_name: str
    base_url: str
    at: datetime
    duration_s: float
    state: ProbeState
    checks: tuple[Check, ...]
    engine: str = UNKNOWN_ENGINE
    engine_version: str | None = None
    engine_facts: tuple[str, ...] = ()
    model: str | None = None
    models: tuple[str, ...] = ()
    models_total: int | None = None
    max_model_len: int | None = None
    details: tuple[tuple[str, str], ...] = ()
    streams: str | None = None
    usage: bool | None = None
    token_source: TokenSource | None = None
    first_token_s: float | None = None
    token_parameter: str = "max_tokens"  # noqa: S105 -- a parameter's name
    problem: Failure | None = None
    what: str = ""
    sent: str = ""
    next_step: str = ""
    notes: tuple[str, ...] = field(default=())

    @property
    def ok(self) -> bool:
        """Whether a benchmark can be run against it."""
        return self.state in (ProbeState.READY, ProbeState.BUFFERED, ProbeState.NOT_STREAMED)

    def check(self, name: CheckName) -> Check:
        """The row of this name."""
        return next(check for check in self.checks if check.name is name)

    def to_dict(self) -> dict[str, Any]:
        """A JSON object without secrets; `from_dict` reads it back."""
        return dataclasses.asdict(self) | {"at": self.at.isoformat()}

    @classmethod
    def from_dict(cls, found: dict[str, Any]) -> Self:
        """Read what `to_dict` wrote. Keys of later versions are left out. Raises ValueError for anything else."""
        known = {spec.name for spec in dataclasses.fields(cls)}
        try:
            values = {name: value for name, value in found.items() if name in known}
            values |= {
                "at": datetime.fromisoformat(found["at"]),
                "state": ProbeState(found["state"]),
                "checks": tuple(_check(check) for check in found["checks"]),
                "problem": _failure(found.get("problem")),
                "token_source": None if found.get("token_source") is None else TokenSource(found["token_source"]),
                "details": tuple((str(name), str(value)) for name, value in found.get("details", ())),
            }
            for name in ("models", "engine_facts", "notes"):
                values[name] = tuple(str(text) for text in found.get(name, ()))
            return cls(**values)
        except (AttributeError, KeyError, TypeError, ValueError) as fault:
            raise ValueError(f"not a stored probe: {fault}") from None


def _check(found: dict[str, Any]) -> Check:
    return Check(
        name=CheckName(found["name"]),
        title=str(found["title"]),
        state=CheckState(found["state"]),
        detail=str(found["detail"]),
    )


def _failure(found: dict[str, Any] | None) -> Failure | None:
    return None if found is None else Failure(**(found | {"kind": FailureKind(found["kind"])}))


def known_server(probed: Mapping[str, Any], model: str) -> dict[str, Any]:
    """What a stored probe tells of the server that answers for `model`, as a run keeps it.

    A probe looks at one model: of another one on the same server only the engine and its version are known.
    """
    found = {"engine": probed.get("engine"), "version": probed.get("engine_version")}
    if probed.get("model") != model:
        return found
    details = {str(name): str(value) for name, value in probed.get("details") or () if str(name) not in found}
    length = {"context length": probed["max_model_len"]} if probed.get("max_model_len") else {}
    return {**details, **length, **found, "model": model}
