"""What the library keeps, as rows and as values: names that are the same, endpoints without keys, JSON read back.

Knows no table. What a later rule of core.plan refuses is read as None: not offered, and not deleted either.
"""

import dataclasses
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

import orjson

from core import plan, redaction
from core.plan import Configuration, Endpoint, Experiment, PlanError, RunPlan, Workload, read_experiment
from core.words import say
from storage import run_values
from storage.problems import SecretInHeader
from storage.run_values import dumps, utc


@dataclass(frozen=True, slots=True, kw_only=True)
class Dated:
    """A JSON object and when it was made."""

    at: datetime
    values: dict[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class SavedPlan:
    """What was to be launched, under a name."""

    name: str
    saved_at: datetime
    experiment: Experiment


@dataclass(frozen=True, slots=True, kw_only=True)
class SavedWorkload:
    """What is asked, under a name; each change of it is a new version, counted from 1. It knows its name itself."""

    name: str
    version: int
    saved_at: datetime
    workload: Workload


def same(name: str) -> str:
    """What two names share that a person would take for one."""
    return unicodedata.normalize("NFKC", name).strip().casefold()


def refuse_secrets(endpoint: Endpoint) -> None:
    """Raise SecretInHeader if a header looks like a key."""
    for (name, value), (_, shown) in zip(endpoint.headers, redaction.headers(endpoint.headers), strict=True):
        if shown != value:
            raise SecretInHeader(
                say(
                    "Header {name} looks like a key, and keys are never saved: put it under [api_keys.NAME] in "
                    ".streamlit/secrets.toml or into an environment variable, and give NAME as the key's name.",
                    name=name,
                )
            )


def endpoint_values(endpoint: Endpoint) -> dict[str, Any]:
    """The JSON object to keep; a key that was pasted into the notes is hidden."""
    return dataclasses.asdict(endpoint) | {"notes": redaction.text(endpoint.notes)}


def named(rows: Sequence[tuple[Any, ...]], name: str) -> tuple[Any, ...] | None:
    """The row whose first value is that name."""
    return next((row for row in rows if same(row[0]) == same(name)), None)


def asked_elsewhere(old: Endpoint | None, new: Endpoint) -> bool:
    """Whether a probe of the old one says nothing about the new one."""

    def asked(one: Endpoint) -> tuple[Any, ...]:
        return one.base_url, one.api, one.key_name, one.headers, one.verify, one.ca_file

    return old is None or asked(old) != asked(new)


def read_configuration(text: str) -> Configuration | None:
    """A kept configuration with the endpoint it was kept with."""
    try:
        return RunPlan.from_dict({"configuration": orjson.loads(text)}).configuration
    except PlanError:
        return None


def read_endpoint(text: str) -> Endpoint | None:
    """A kept endpoint."""
    found = read_configuration(dumps({"id": "-", "label": "-", "model": "-", "endpoint": orjson.loads(text)}))
    return found.endpoint if found else None


def workload_values(workload: Workload) -> dict[str, Any]:
    """The JSON object to keep, without where it was kept; keys in it are hidden."""
    values = dataclasses.asdict(dataclasses.replace(workload, saved_name=None, saved_version=None))
    return values | {"extra_body": redaction.body(workload.extra_body)}


def read_workload(name: str, version: int, saved_at: datetime, text: str) -> SavedWorkload | None:
    """What was kept."""
    try:
        workload = plan.read_workload(orjson.loads(text) | {"saved_name": name, "saved_version": version})
    except PlanError:
        return None
    return SavedWorkload(name=name, version=version, saved_at=utc(saved_at), workload=workload)


def plan_values(experiment: Experiment) -> dict[str, Any]:
    """The JSON object to keep, as a plan file has it; keys in it are hidden."""
    return {
        "plans": [run_values.plan(one) for one in experiment.plans],
        "experiment": experiment.beside_plans(),
    }


def read_plan(name: str, saved_at: datetime, text: str) -> SavedPlan | None:
    """What was kept; None if a part of it is refused. Before searches were kept it was a list of plans."""
    found = orjson.loads(text)
    kept = found if isinstance(found, dict) else {"plans": found}
    try:
        plans = tuple(RunPlan.from_dict(one) for one in kept["plans"])
        experiment = read_experiment(kept.get("experiment") or {}, plans, experiment_id="saved")
    except PlanError:
        return None
    return SavedPlan(name=name, saved_at=utc(saved_at), experiment=dataclasses.replace(experiment, name=name))
