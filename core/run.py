"""One run: its plan, what was seen of every request, and how the client fared. Knows no metric and no storage."""

from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from typing import Any

from core.plan import RunPlan
from core.records import RequestRecord
from core.words import say


class RunState(StrEnum):
    """The fixed words of a run's life."""

    QUEUED = "queued"
    RUNNING = "running"
    COMPLETED = "completed"
    CANCELLED = "cancelled"
    INTERRUPTED = "interrupted"
    FAILED = "failed"


LIVE_STATES = (RunState.QUEUED, RunState.RUNNING)
ENDED_STATES = tuple(state for state in RunState if state not in LIVE_STATES)


class StoppedBy(StrEnum):
    """What ended the sending."""

    REQUESTS = "requests"
    DURATION = "duration"
    TOKENS = "tokens"
    SPEND = "spend"
    ERRORS = "errors"
    SATURATION = "saturation"
    USER = "user"
    FAILURE = "failure"


def usual_name(label: str, level: str) -> str:
    """What a run is called that nobody has named."""
    return say("{label} at {level}", label=label, level=level)


def is_renamed(name: str, *, label: str, level: str) -> bool:
    """Whether somebody gave a run of this label and level a name of its own."""
    return name != usual_name(label, level)


@dataclass(frozen=True, slots=True, kw_only=True)
class ClientHealth:
    """How the load generator itself fared during the run.

    Attributes:
        loop_lag_p50_s, loop_lag_p99_s, loop_lag_max_s: How late a timer of the event loop fired, seconds.
        cpu_share: CPU seconds of the measuring process per second of the run; 1.0 is one full core.
        max_in_flight: Most requests in flight at once.
        priority: What the system granted: "realtime", "raised" or "normal".
        machine_busy_share: How busy all cores of this machine were, by whatever ran; 1.0 left nothing idle.
        reads_per_token: Socket reads per output chunk, not per token (stored runs hold the name); far below 1 means
            chunks share reads.
        waited_s: Seconds in which nothing was sent because answers asked to wait; None where that is not obeyed.
        waits: How often it was asked to, one wait within another counted once.
        held_requests: Requests that left later to keep under limits a minute; None without such limits.
    """

    loop_lag_p50_s: float | None = None
    loop_lag_p99_s: float | None = None
    loop_lag_max_s: float | None = None
    cpu_share: float | None = None
    max_in_flight: int | None = None
    workers: int = 1
    priority: str = "normal"
    reads_per_token: float | None = None
    machine_busy_share: float | None = None
    waited_s: float | None = None
    waits: int | None = None
    held_requests: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Preflight:
    """What one or two tiny requests told about the endpoint before the run. None means not seen.

    Attributes:
        streams: The answer came as an event stream.
        usage: The stream ended with token counts.
        max_tokens_obeyed: An answer was not longer than asked.
        token_parameter: "max_tokens" or "max_completion_tokens": what the endpoint accepts.
        stream_options: Whether `stream_options` may be sent.
        ignore_eos: Whether `ignore_eos` is accepted.
        keeps_connection: Whether the connection stayed open after an answer.
        stops_on_disconnect: Whether the server stops generating when the client goes away.
        changes: Sentences: every parameter that was changed once before the measured run.
        failure_message: Why the run cannot start, None if it can.
        template_tokens: Prompt tokens that the chat template and a system prompt add, by the server's own count.
    """

    streams: bool | None = None
    usage: bool | None = None
    max_tokens_obeyed: bool | None = None
    token_parameter: str = "max_tokens"  # noqa: S105 -- a parameter's name
    stream_options: bool = True
    ignore_eos: bool | None = None
    keeps_connection: bool | None = None
    stops_on_disconnect: bool | None = None
    changes: tuple[str, ...] = ()
    failure_message: str | None = None
    template_tokens: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Run:
    """One configuration at one load.

    Attributes:
        ended_at: None while running or if the app died.
        experiment: {"id", "name", "repeat", "position"} or None.
        environment: What ran it and what answered: {"paceline", "python", "libraries", "cpu", "memory_bytes",
            "platform", "server": {"engine", "version", "model", ...}}.
        message: One sentence on why it failed, None otherwise.
        requests: Warm-up requests included; empty when a list of runs is read without them.
    """

    id: str
    name: str
    started_at: datetime
    ended_at: datetime | None = None
    state: RunState
    stopped_by: StoppedBy | None = None
    message: str | None = None
    tags: tuple[str, ...] = ()
    notes: str = ""
    producer: dict[str, str] = field(default_factory=lambda: {"tool": "paceline", "version": "0"})
    granularity: str = "requests"
    experiment: dict[str, Any] | None = None
    plan: RunPlan
    environment: dict[str, Any] = field(default_factory=dict)
    client: ClientHealth = field(default_factory=ClientHealth)
    preflight: Preflight | None = None
    requests: tuple[RequestRecord, ...] = ()
