"""A run without its requests <-> the row of the table of runs. Knows no query."""

import dataclasses
import json
from datetime import UTC, datetime
from typing import Any

import orjson

from core import redaction
from core.doubts import claims
from core.plan import RunPlan
from core.records import RequestRecord
from core.run import ClientHealth, Preflight, Run, RunState, StoppedBy

RUN_COLUMNS = (
    "id", "name", "state", "stopped_by", "message", "started_at", "ended_at", "tags", "notes", "granularity",
    "producer", "experiment", "plan", "environment", "client", "preflight",
)  # fmt: skip
MEANWHILE = ("environment", "client", "preflight", "engine")  # become known while a run goes on
AT_THE_END = ("state", "stopped_by", "message", "ended_at", *MEANWHILE)


def row(run: Run) -> dict[str, Any]:
    """Every column of `runs` except its number. Nothing that looks like a key is in it."""
    configuration = run.plan.configuration
    experiment = run.experiment or {}
    values = {
        "id": run.id,
        "name": run.name,
        "state": run.state.value,
        "stopped_by": run.stopped_by and run.stopped_by.value,
        "message": None if run.message is None else redaction.text(run.message),
        "started_at": run.started_at,
        "ended_at": run.ended_at,
        "tags": list(run.tags),
        "notes": run.notes,
        "granularity": run.granularity,
        "producer": dumps(run.producer),
        "experiment": dumps(run.experiment) if run.experiment else None,
        "plan": dumps(plan(run.plan)),
        "experiment_id": _words(experiment.get("id")),
        "experiment_name": _words(experiment.get("name")),
        "configuration_id": configuration.id,
        "label": configuration.label,
        "slot": configuration.slot,
        "model": configuration.model,
        "endpoint": configuration.endpoint.name,
        "demo": configuration.endpoint.demo,
        "concurrency": run.plan.load.concurrency,
        "rate": run.plan.load.rate,
        "workload": run.plan.workload.saved_name,
    }
    return {name: readable(value) if isinstance(value, str) else value for name, value in values.items()} | known(run)


def known(run: Run) -> dict[str, str | None]:
    """The columns of MEANWHILE."""
    return {
        "environment": dumps(run.environment),
        "client": dumps(dataclasses.asdict(run.client)),
        "preflight": dumps(dataclasses.asdict(run.preflight)) if run.preflight else None,
        "engine": readable(engine(run)),
    }


def plan(found: RunPlan) -> dict[str, Any]:
    """The plan's JSON object, what looks like a key hidden."""
    values = found.to_dict()
    endpoint = values["configuration"]["endpoint"]
    endpoint["headers"] = redaction.headers(endpoint["headers"])
    endpoint["notes"] = redaction.text(endpoint["notes"])
    values["workload"]["extra_body"] = redaction.body(values["workload"]["extra_body"])
    return values


def run(found: dict[str, Any], records: tuple[RequestRecord, ...] = ()) -> Run:
    """What `row` wrote, with its requests. Keys that a later Paceline added are left out."""
    return Run(
        id=found["id"],
        name=found["name"],
        state=RunState(found["state"]),
        stopped_by=StoppedBy(found["stopped_by"]) if found["stopped_by"] else None,
        message=found["message"],
        started_at=utc(found["started_at"]),
        ended_at=utc(found["ended_at"]) if found["ended_at"] else None,
        tags=tuple(found["tags"]),
        notes=found["notes"],
        granularity=found["granularity"],
        producer=orjson.loads(found["producer"]),
        experiment=orjson.loads(found["experiment"]) if found["experiment"] else None,
        plan=RunPlan.from_dict(orjson.loads(found["plan"])),
        environment=orjson.loads(found["environment"]),
        client=ClientHealth(**members(ClientHealth, orjson.loads(found["client"]))),
        preflight=_preflight(found["preflight"]),
        requests=records,
    )


def engine(found: Run) -> str:
    """What answered, where it is known: the server's own word, else the user's, else the demo's."""
    return _words(claims.engine(found)) or found.plan.configuration.endpoint.demo


def dumps(value: Any) -> str:
    """JSON text; floats that are no numbers become null, what JSON cannot hold is repaired or written as words."""
    try:
        return orjson.dumps(value, option=orjson.OPT_NON_STR_KEYS).decode()
    except TypeError:
        finite = json.loads(json.dumps(value, default=str), parse_constant=lambda _: None)
        return readable(json.dumps(finite, ensure_ascii=False))


def readable(text: str) -> str:
    """The text with lone surrogates replaced: no database and no browser takes them."""
    return text.encode("utf-8", "replace").decode()


def utc(moment: datetime) -> datetime:
    """DuckDB answers in the session's zone."""
    return moment.astimezone(UTC)


def _preflight(text: str | None) -> Preflight | None:
    if text is None:
        return None
    values = members(Preflight, orjson.loads(text))
    return Preflight(**values | {"changes": tuple(values.get("changes", ()))})


def members(kind: Any, found: dict[str, Any]) -> dict[str, Any]:
    """Those members that there are today: another Paceline may have stored others."""
    names = {spec.name for spec in dataclasses.fields(kind)}
    return {key: value for key, value in found.items() if key in names}


def _words(value: Any) -> str:
    return "" if value is None else str(value)
