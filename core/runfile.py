"""The run file, our own format: Run <-> strict JSON. A contract: keys are added within a version, never renamed.

Never writes a secret or a NaN, never reads anything of it but JSON.
"""

import dataclasses
import os
import tempfile
from collections.abc import Iterable, Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import orjson

from core import redaction
from core.doubts.claims import UNKNOWN
from core.findings import Finding, findings
from core.metrics import DEFINITIONS_VERSION
from core.plan import RunPlan
from core.plan_checks import MOST_FILE_DEPTH, is_deeper
from core.records import Failure, RequestRecord
from core.run import Run
from core.run_reader import RunFileError, list_at, object_at, refuse, run_from
from core.summary import Summary, summarise

__all__ = ["RunFileError", "from_bytes", "read", "run_from_dict", "run_to_dict", "to_bytes", "write"]

FORMAT = "paceline-run"
VERSION = 1
MOST_BYTES = 512 * 1024 * 1024
MOST_RUNS = 10_000
PLAIN_KEYS = (
    "request_id", "index", "worker", "warmup", "conversation", "turn", "scheduled_s", "sent_s", "first_token_s",
    "first_answer_s", "last_token_s", "ended_s", "connect_s", "input_tokens", "requested_input_tokens",
    "output_tokens", "requested_output_tokens", "reasoning_tokens", "cached_tokens", "finish_reason", "streamed",
    "reads", "sent_input_tokens",
)  # fmt: skip


def _failure_to_dict(failure: Failure) -> dict[str, Any]:
    return {
        "kind": failure.kind.value,
        "message": redaction.text(failure.message),
        "status": failure.status,
        "retry_after_s": failure.retry_after_s,
    }


def _request_to_dict(record: RequestRecord, *, texts: bool) -> dict[str, Any]:
    found = {key: getattr(record, key) for key in PLAIN_KEYS}
    found["token_source"] = record.token_source.value
    found["failure"] = None if record.failure is None else _failure_to_dict(record.failure)
    found["server"] = (
        None if record.server is None else {"prefill_s": record.server.prefill_s, "decode_s": record.server.decode_s}
    )
    found["chunk_us"] = list(record.chunk_us)
    if texts:
        found |= {"text": record.text, "reasoning_text": record.reasoning_text}
    return found


def _finding_to_dict(finding: Finding) -> dict[str, Any]:
    told = {name: getattr(finding, name) for name in ("kind", "level", "what", "why", "do", "text")}
    return {name: redaction.text(value) for name, value in told.items()}


def _plan_to_dict(plan: RunPlan, unknown: Iterable[str]) -> dict[str, Any]:
    found = plan.to_dict()
    configuration = found["configuration"]
    endpoint = configuration.pop("endpoint")
    limits = endpoint.pop("limits")
    endpoint["headers"] = redaction.headers(endpoint["headers"])
    endpoint["notes"] = redaction.text(endpoint["notes"])
    workload, load = found["workload"], found["load"]
    workload["extra_body"] = redaction.body(workload["extra_body"])
    for name in unknown:
        for part in (workload, load):
            part.update({name: None} if name in part else {})
    return {
        "configuration": configuration,
        "endpoint": endpoint,
        "workload": workload,
        "load": load,
        "limits": limits,
        "slo": found["slo"],
    }


def _without_requests(run: Run, summary: Summary | None) -> dict[str, Any]:
    if summary is None:
        summary = summarise(run.requests, run.plan.slo)
    unknown = run.environment.get(UNKNOWN, ())
    return {
        "id": run.id,
        "name": run.name,
        "started_at": run.started_at.isoformat(),
        "ended_at": run.ended_at.isoformat() if run.ended_at else None,
        "state": run.state.value,
        "stopped_by": run.stopped_by.value if run.stopped_by else None,
        "message": None if run.message is None else redaction.text(run.message),
        "tags": list(run.tags),
        "notes": run.notes,
        "producer": run.producer,
        "granularity": run.granularity,
        "definitions": {},  # where another tool's differ from ours
        "reported": [],
        "experiment": run.experiment,
        **_plan_to_dict(run.plan, unknown if isinstance(unknown, list | tuple) else ()),
        "environment": run.environment,
        "client": dataclasses.asdict(run.client),
        "preflight": dataclasses.asdict(run.preflight) if run.preflight else None,
        "summary": {metric: found.to_dict() for metric, found in summary.distributions.items()},
        "throughput": summary.throughput,
        "counts": summary.counts,
        "findings": [_finding_to_dict(finding) for finding in findings(run, summary)],
        "server_samples": [],
    }


def run_to_dict(run: Run, *, summary: Summary | None = None, texts: bool = False) -> dict[str, Any]:
    """One entry of `runs`. `summary` spares computing it again; `texts` adds what the model wrote."""
    return _without_requests(run, summary) | {
        "requests": [_request_to_dict(record, texts=texts) for record in run.requests]
    }


def run_from_dict(found: Any, place: str = "run") -> Run:
    """The run that `run_to_dict` wrote. Raises RunFileError; unknown keys are ignored."""
    return run_from(found, place)


def _writable(value: Any) -> Any:
    # What JSON cannot hold: lone surrogates of a hostile answer, whole numbers beyond 64 bits, odd objects.
    if isinstance(value, dict):
        return {_writable(str(key)): _writable(inner) for key, inner in value.items()}
    if isinstance(value, list | tuple):
        return [_writable(inner) for inner in value]
    if isinstance(value, str):
        return value.encode("utf-8", "replace").decode()
    if isinstance(value, int) and not -(2**63) <= value < 2**64:
        return str(value)
    return value if value is None or isinstance(value, int | float) else str(value)


def _dumps(value: dict[str, Any]) -> bytes:
    try:
        return orjson.dumps(value)
    except TypeError:
        return orjson.dumps(_writable(value))


def _with_list(value: dict[str, Any], key: str, entries: Iterable[bytes]) -> bytes:
    # Entry by entry, so that the chunk times of a large run are never all in memory as Python's numbers.
    return _dumps(value)[:-1] + f',"{key}":['.encode() + b",".join(entries) + b"]}"


def to_bytes(
    runs: Iterable[Run],
    *,
    search: dict[str, Any] | None = None,
    summaries: Mapping[str, Summary] | None = None,
    texts: bool = False,
    exported_at: datetime | None = None,
) -> bytes:
    """The whole file. `summaries` are those already computed, by run id."""
    known = summaries or {}
    head = {
        "format": FORMAT,
        "version": VERSION,
        "exported_at": (exported_at or datetime.now(UTC)).isoformat(),
        "definitions_version": DEFINITIONS_VERSION,
        "search": search,
    }
    entries = (
        _with_list(
            _without_requests(run, known.get(run.id)),
            "requests",
            (_dumps(_request_to_dict(record, texts=texts)) for record in run.requests),
        )
        for run in runs
    )
    return _with_list(head, "runs", entries) + b"\n"


def write(
    path: Path,
    runs: Iterable[Run],
    search: dict[str, Any] | None = None,
    *,
    summaries: Mapping[str, Summary] | None = None,
    texts: bool = False,
) -> None:
    """Write the file whole or not at all: a full disk or a kill leaves the old one as it was."""
    content = to_bytes(runs, search=search, summaries=summaries, texts=texts)
    path = path.resolve()
    if path.exists() and not path.is_file():  # a pipe or a device is written to, never replaced
        path.write_bytes(content)
        return
    descriptor, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
    try:
        with os.fdopen(descriptor, "wb") as file:
            file.write(content)
        Path(name).chmod(0o644)
        Path(name).replace(path)
    finally:
        Path(name).unlink(missing_ok=True)


def from_bytes(content: bytes, *, most_bytes: int = MOST_BYTES) -> list[Run]:
    """The runs of a file. Raises RunFileError with one sentence for anything that is no run file of ours."""
    if len(content) > most_bytes:
        raise refuse("The file has more than {most} MB: export fewer runs.", most=most_bytes // 2**20)
    try:
        found = orjson.loads(content)
    except orjson.JSONDecodeError as fault:
        raise refuse("The file is not JSON, so it is no run file: {fault}.", fault=fault) from None
    if not isinstance(found, dict) or found.get("format") != FORMAT:
        raise refuse("The file is JSON but no run file of Paceline: its “format” is not “paceline-run”.")
    version = found.get("version")
    if type(version) is not int or version < 1:
        raise refuse("The run file does not tell its version: export it again.")
    if version > VERSION:
        raise refuse(
            "The run file has version {version}, this Paceline reads up to {known}: update Paceline.",
            version=version,
            known=VERSION,
        )
    if is_deeper(found, MOST_FILE_DEPTH):
        raise refuse("The file is nested more than {most} levels deep: no run file is.", most=MOST_FILE_DEPTH)
    runs = list_at(found.get("runs"), "runs", MOST_RUNS)
    return [run_from(object_at(run, f"runs[{index}]"), f"runs[{index}]") for index, run in enumerate(runs)]


def read(path: Path, *, most_bytes: int = MOST_BYTES) -> list[Run]:
    """The runs of the file at `path`. Waits for uploads: by now tests alone read. Raises RunFileError."""
    try:
        if path.stat().st_size > most_bytes:
            raise refuse("The file has more than {most} MB: export fewer runs.", most=most_bytes // 2**20)
        content = path.read_bytes()
    except OSError as fault:
        raise refuse("The file cannot be read: {fault}.", fault=fault.strerror or fault) from None
    return from_bytes(content, most_bytes=most_bytes)
