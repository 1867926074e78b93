"""Words between the measuring child and its parent: one JSON object a line. Knows the shapes, no pipe.

Parent to child: one job line, then perhaps `cancel`; the end of the pipe means the parent is gone.
Child to parent: `waiting`, `preflight`, `server`, `started`, `progress`, `record`, `done`, `failed`.
"""

import dataclasses
from array import array
from binascii import a2b_base64, b2a_base64
from dataclasses import dataclass, field
from typing import Any

import orjson

from core.plan import RunPlan
from core.records import Failure, FailureKind, RequestRecord, ServerTimes, TokenSource
from core.run import ClientHealth, Preflight
from core.trace import Rows

CANCEL = b"cancel\n"


@dataclass(frozen=True, slots=True, kw_only=True)
class Job:
    """What the child shall do. `key_header`, the only secret, travels by the pipe, never by argv or environment.

    `identify`: after the preflight it also asks the server's pages what answers. `rows` are those of the plan's trace.
    """

    run_id: str
    plan: RunPlan
    key_header: tuple[str, str] | None = field(default=None, repr=False)
    preflight: bool = True
    identify: bool = False
    rows: Rows | None = field(default=None, repr=False)


def dump_job(job: Job) -> bytes:
    """One line."""
    body = {
        "run_id": job.run_id,
        "plan": job.plan.to_dict(),
        "key_header": job.key_header,
        "preflight": job.preflight,
        "identify": job.identify,
        "rows": None if job.rows is None else job.rows.columns(),
    }
    return orjson.dumps(body) + b"\n"


def load_job(line: bytes) -> Job:
    """Read `dump_job`'s line."""
    found = orjson.loads(line)
    key = found["key_header"]
    return Job(
        run_id=found["run_id"],
        plan=RunPlan.from_dict(found["plan"]),
        key_header=(key[0], key[1]) if key else None,
        preflight=found["preflight"],
        identify=found["identify"],
        rows=None if found["rows"] is None else Rows.of_columns(found["rows"]),
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Progress:
    """Where a run stands; sent twice a second.

    Attributes:
        at_s: Seconds since the run's start.
        chunks: Output chunks decoded so far; what is still undecoded is not in it.
        first_tokens: (at_s, ttft_s) of requests still in flight whose first token was decoded since the last message.
        lag_p99_s: Of the loop, since the measured part began: what the run will be judged by.
        machine_busy_share: How busy all cores of this machine were in the same time.
        waiting_s: How long nothing is sent yet, because an answer asked to wait.
    """

    at_s: float
    sent: int
    ended: int
    in_flight: int
    warming_up: bool
    chunks: int
    first_tokens: tuple[tuple[float, float], ...] = ()
    lag_p99_s: float | None = None
    machine_busy_share: float | None = None
    waiting_s: float = 0.0


def message(kind: str, **body: Any) -> bytes:
    """One line of the given kind."""
    return orjson.dumps({"kind": kind, **body}) + b"\n"


def dump_record(record: RequestRecord) -> bytes:
    """One `record` line; chunk times travel as the base64 of their array."""
    body = {name: getattr(record, name) for name in RECORD_FIELDS}
    chunks = record.chunk_us if isinstance(record.chunk_us, array) else array("i", record.chunk_us)
    # As numbers, a thousand cost 25 us here and 50 us at the other end; both are one machine, with one C int.
    body["chunk_us"] = b2a_base64(chunks, newline=False).decode()
    if record.failure is not None:
        body["failure"] = dataclasses.asdict(record.failure)
    if record.server is not None:
        body["server"] = dataclasses.asdict(record.server)
    return message("record", record={name: value for name, value in body.items() if value is not None})


RECORD_FIELDS = tuple(spec.name for spec in dataclasses.fields(RequestRecord))


def load_record(found: dict[str, Any]) -> RequestRecord:
    """Read the object of a `record` line."""
    values = dict(found)
    values["chunk_us"] = array("i")
    values["chunk_us"].frombytes(a2b_base64(found["chunk_us"]))
    values["token_source"] = TokenSource(values["token_source"])
    if "failure" in values:
        failure = values["failure"]
        values["failure"] = Failure(**{**failure, "kind": FailureKind(failure["kind"])})
    if "server" in values:
        values["server"] = ServerTimes(**values["server"])
    return RequestRecord(**values)


def load_progress(found: dict[str, Any]) -> Progress:
    """Read the object of a `progress` line."""
    pairs = tuple((at_s, ttft_s) for at_s, ttft_s in found["first_tokens"])
    return Progress(**{**found, "first_tokens": pairs})


def load_health(found: dict[str, Any]) -> ClientHealth:
    """Read the client's part of a `done` line."""
    return ClientHealth(**found)


def load_preflight(found: dict[str, Any]) -> Preflight:
    """Read the object of a `preflight` line."""
    return Preflight(**{**found, "changes": tuple(found["changes"])})
