"""JSON values of a run file -> Run; waits for uploads: by now tests alone read run files back.

Trusts nothing that it reads, and says in one sentence what is wrong and where.
"""

import dataclasses
from array import array
from collections.abc import Callable
from datetime import UTC, datetime
from enum import StrEnum
from functools import cache
from types import NoneType, UnionType
from typing import Any, TypeVar, get_args

from core.doubts.claims import UNKNOWN
from core.load import MOST_STAGES
from core.plan import Configuration, Endpoint, Limits, Load, PlanError, RunPlan, Workload
from core.records import Failure, FailureKind, RequestRecord, ServerTimes, TokenSource
from core.run import ClientHealth, Preflight, Run, RunState, StoppedBy
from core.words import say
from core.workload import MOST_PAIRS, MOST_STOPS

MOST_REQUESTS = 1_000_000
INT32 = 2**31 - 1
LONGEST_S = 1e9  # no time of a run lies beyond
SIMPLE = frozenset({int, float, str, bool, NoneType})
WITHIN_WORKLOAD = ("language", "input_spread", "output_spread")
Word = TypeVar("Word", bound=StrEnum)


class RunFileError(ValueError):
    """A file that is no run file of ours. The message is one sentence for the person who chose it."""


def refuse(text: str, /, **values: object) -> RunFileError:
    """The error to raise, in the reader's language."""
    return RunFileError(say(text, **values))


def object_at(found: Any, place: str) -> dict[str, Any]:
    """`found` if it is a JSON object."""
    if not isinstance(found, dict):
        raise refuse("The run file cannot be read: {place} is not an object.", place=place)
    return found


def list_at(found: Any, place: str, most: int) -> list[Any]:
    """`found` if it is a list that is not absurdly long."""
    if not isinstance(found, list):
        raise refuse("The run file cannot be read: {place} is not a list.", place=place)
    if len(found) > most:
        raise refuse("The run file cannot be read: {place} has more than {most} entries.", place=place, most=most)
    return found


@cache
def _simple_fields(kind: type) -> dict[str, frozenset[type]]:
    accepted: dict[str, frozenset[type]] = {}
    for spec in dataclasses.fields(kind):
        kinds = set(get_args(spec.type)) if isinstance(spec.type, UnionType) else {spec.type}
        if kinds <= SIMPLE:
            accepted[spec.name] = frozenset(kinds | {int} if float in kinds else kinds)  # type: ignore[arg-type]
    return accepted


def _simple(kind: type, found: dict[str, Any], place: str) -> dict[str, Any]:
    # The plain members of a frozen value. A null where a value must be is left to the field's default.
    values = {}
    for name, accepted in _simple_fields(kind).items():
        value = found.get(name)
        if value is None:
            continue
        if type(value) not in accepted:
            raise refuse("The run file cannot be read: {place}.{name} has the wrong kind.", place=place, name=name)
        values[name] = value
    return values


def _word(kind: type[Word], found: Any, place: str) -> Word:
    try:
        return kind(found)
    except ValueError:
        raise refuse("The run file cannot be read: {place} is a word that is not known.", place=place) from None


def _moment(found: Any, place: str) -> datetime:
    try:
        moment = datetime.fromisoformat(found)
    except (TypeError, ValueError):
        raise refuse("The run file cannot be read: {place} is not a date.", place=place) from None
    return moment if moment.tzinfo else moment.replace(tzinfo=UTC)


def _chunk_us(found: Any, place: str) -> "array[int]":  # subscriptable from Python 3.12 only
    try:
        chunk_us = array("i", list_at(found, place, INT32))
    except (TypeError, OverflowError):
        raise refuse(
            "The run file cannot be read: {place} has something that is no time in microseconds.", place=place
        ) from None
    ascending = all(map(int.__le__, chunk_us, chunk_us[1:]))
    if chunk_us and (chunk_us[0] < 0 or not ascending):
        raise refuse("The run file cannot be read: {place} runs backwards.", place=place)
    return chunk_us


def _check_numbers(values: dict[str, Any], place: str) -> None:
    for name, value in values.items():
        if type(value) is int and not name.endswith("_s"):
            if not 0 <= value <= INT32:
                raise refuse("The run file cannot be read: {place}.{name} is out of range.", place=place, name=name)
        elif isinstance(value, float | int) and not -LONGEST_S < value < LONGEST_S:
            raise refuse("The run file cannot be read: {place}.{name} is out of range.", place=place, name=name)


def _failure(found: Any, place: str) -> Failure:
    values = _simple(Failure, object_at(found, place), place)
    values["kind"] = _word(FailureKind, found.get("kind"), f"{place}.kind")
    return Failure(**{"message": ""} | values)


def request_from(found: Any, place: str, index: int) -> RequestRecord:
    """One request of the file; `index` is its place where the file does not tell."""
    values = _simple(RequestRecord, object_at(found, place), place)
    _check_numbers(values, place)
    if found.get("token_source") is not None:
        values["token_source"] = _word(TokenSource, found["token_source"], f"{place}.token_source")
    if found.get("failure") is not None:
        values["failure"] = _failure(found["failure"], f"{place}.failure")
    if found.get("server") is not None:
        times = _simple(ServerTimes, object_at(found["server"], f"{place}.server"), f"{place}.server")
        _check_numbers(times, f"{place}.server")
        values["server"] = ServerTimes(**times)
    if found.get("chunk_us") is not None:
        values["chunk_us"] = _chunk_us(found["chunk_us"], f"{place}.chunk_us")
    values.setdefault("request_id", str(index))
    values.setdefault("index", index)
    return RequestRecord(**values)


def _part(found: dict[str, Any], name: str, place: str) -> dict[str, Any]:
    part = found.get(name)
    return object_at({} if part is None else part, f"{place}.{name}")


def _pairs(found: Any, place: str) -> list[list[str]]:
    pairs = list_at([] if found is None else found, place, 1000)
    for pair in pairs:
        if not isinstance(pair, list) or len(pair) != 2 or not all(isinstance(word, str) for word in pair):
            raise refuse("The run file cannot be read: {place} is not a list of names and values.", place=place)
    return pairs


def _plan(found: dict[str, Any], place: str) -> RunPlan:
    parts = {name: _part(found, name, place) for name in ("configuration", "endpoint", "workload", "load", "limits")}
    kinds = {"configuration": Configuration, "endpoint": Endpoint, "workload": Workload, "load": Load, "limits": Limits}
    values = {name: _simple(kinds[name], part, f"{place}.{name}") for name, part in parts.items()}
    for name, member in (("api", "endpoint"), ("demo", "endpoint")):
        if parts[member].get(name) is not None:
            values[member][name] = parts[member][name]
    values["endpoint"]["headers"] = _pairs(parts["endpoint"].get("headers"), f"{place}.endpoint.headers")
    values["configuration"]["settings"] = _pairs(
        parts["configuration"].get("settings"), f"{place}.configuration.settings"
    )
    values["workload"] |= _workload(parts["workload"], f"{place}.workload")
    load = parts["load"]
    if load.get("duration_s") is not None:
        values["load"].setdefault("requests", None)
    if load.get("rate") is not None:
        values["load"]["concurrency"] = None
    values["load"] |= {name: load[name] for name in ("trace", "restraint") if load.get(name) is not None}
    values["load"]["stages"] = list_at(load.get("stages") or [], f"{place}.load.stages", MOST_STAGES)
    nested = values["configuration"] | {"endpoint": values["endpoint"] | {"limits": values["limits"]}}
    try:
        return RunPlan.from_dict(
            {"configuration": nested, "workload": values["workload"], "load": values["load"], "slo": found.get("slo")}
        )
    except PlanError as fault:
        raise refuse("The run file cannot be read: {place}: {fault}", place=place, fault=fault) from None


def _workload(found: dict[str, Any], place: str) -> dict[str, Any]:
    """Its members that are more than a number, a flag or a text; the plan refuses what they must not be."""
    told = {name: found[name] for name in WITHIN_WORKLOAD if found.get(name) is not None}
    lists = {
        name: list_at(found[name], f"{place}.{name}", most)
        for name, most in (("pairs", MOST_PAIRS), ("stop", MOST_STOPS))
        if found.get(name) is not None
    }
    return told | lists | {"extra_body": _part(found, "extra_body", place)}


def _environment(found: dict[str, Any], place: str) -> dict[str, Any]:
    environment = dict(_part(found, "environment", place))
    asked: dict[str, tuple[str, ...]] = {"load": ("concurrency",), "workload": ("input_tokens", "output_tokens")}
    told = environment.pop(UNKNOWN, None)
    unknown = {word for word in told if isinstance(word, str)} if isinstance(told, list) else set()
    if _part(found, "load", place).get("rate") is not None:
        asked["load"] = ()  # an open loop has no level in flight
    for part, names in asked.items():
        unknown |= {name for name in names if _part(found, part, place).get(name) is None}
    if unknown:
        environment[UNKNOWN] = sorted(unknown)
    return environment


def _words(found: Any, place: str) -> tuple[str, ...]:
    return tuple(str(word) for word in list_at([] if found is None else found, place, 1000))


def _preflight(found: Any, place: str) -> Preflight:
    values = _simple(Preflight, object_at(found, place), place)
    return Preflight(**values | {"changes": _words(found.get("changes"), f"{place}.changes")})


def _optional(found: dict[str, Any], name: str, place: str, read: Callable[[Any, str], Any]) -> Any:
    return None if found.get(name) is None else read(found[name], f"{place}.{name}")


def run_from(found: Any, place: str) -> Run:
    """One run of the file. Derived members (summary, findings ...) are computed anew, so they are not read."""
    values = _simple(Run, object_at(found, place), place)
    for name in ("id", "name"):
        if not isinstance(found.get(name), str):
            raise refuse("The run file cannot be read: {place}.{name} is missing.", place=place, name=name)
    requests = list_at(found.get("requests") or [], f"{place}.requests", MOST_REQUESTS)
    client = _part(found, "client", place)
    rest: dict[str, Any] = {
        "started_at": _moment(found.get("started_at"), f"{place}.started_at"),
        "ended_at": _optional(found, "ended_at", place, _moment),
        "state": _word(RunState, found.get("state"), f"{place}.state"),
        "stopped_by": _optional(found, "stopped_by", place, lambda word, at: _word(StoppedBy, word, at)),
        "tags": _words(found.get("tags"), f"{place}.tags"),
        "producer": {str(key): str(value) for key, value in _part(found, "producer", place).items()},
        "experiment": _optional(found, "experiment", place, object_at),
        "plan": _plan(found, place),
        "environment": _environment(found, place),
        "client": ClientHealth(**_simple(ClientHealth, client, f"{place}.client")),
        "preflight": _optional(found, "preflight", place, _preflight),
        "requests": tuple(
            request_from(request, f"{place}.requests[{index}]", index) for index, request in enumerate(requests)
        ),
    }
    return Run(**values | rest)
