"""Plans and JSON that people paste, upload or name: read with care, refused with one sentence. Never runs anything."""

import uuid
from codecs import BOM_UTF8
from contextlib import suppress
from pathlib import Path
from typing import Any

import orjson

from core.plain_file import first_bytes
from core.plan import Experiment, PlanError, RunPlan, read_experiment
from core.plan_checks import MOST_FILE_DEPTH, is_deeper
from core.words import say

MOST_BYTES = 2_000_000
MOST_PLANS = 2_000


def plans(text: str | bytes) -> tuple[RunPlan, ...]:
    """The plans in the text of a plan file. Raises PlanError."""
    found = _json(text, say("The plan"))
    listed = found.get("plans") if isinstance(found, dict) else None
    if not isinstance(listed, list) or not listed:
        raise PlanError(say('This is not a plan file: it has no list "plans". Take one from a run\'s page.'))
    if len(listed) > MOST_PLANS:
        raise PlanError(say("The plan has {n} runs: give at most {most}.", n=len(listed), most=MOST_PLANS))
    return tuple(_plan(place, one) for place, one in enumerate(listed, start=1))


def experiment(text: str | bytes, *, experiment_id: str) -> Experiment:
    """The plans in the text of a plan file, and how their levels are found. Raises PlanError."""
    found = _json(text, say("The plan"))
    told = found.get("experiment") if isinstance(found, dict) else None
    listed = plans(text)
    return read_experiment(told or {}, listed, experiment_id=experiment_id)


def experiment_of_file(path: Path) -> Experiment:
    """The experiment of the plan file at `path`. Raises PlanError, which names the file."""
    try:
        data = first_bytes(path, MOST_BYTES)
    except OSError as fault:
        raise PlanError(say("The plan file {path} cannot be read: {reason}.", path=path, reason=fault)) from None
    try:
        return experiment(data, experiment_id=uuid.uuid4().hex[:12])
    except PlanError as fault:
        raise PlanError(f"{path}: {fault}") from None


def extra_body(text: str, what: str | None = None) -> dict[str, Any]:
    """Further keys of the request body, typed as a JSON object; nothing typed is an empty one. Raises PlanError.

    `what` is where it was typed, if that is not a field of a page.
    """
    if not text.strip():
        return {}
    named = what or say("Extra body")
    found = _json(text, named)
    if not isinstance(found, dict):
        raise PlanError(say('{what} is not a JSON object: write it as {{"key": value}}.', what=named))
    return found


def extra_text(body: dict[str, Any]) -> str:
    """The text that `extra_body` reads back."""
    return orjson.dumps(body, option=orjson.OPT_INDENT_2).decode() if body else ""


def _json(text: str | bytes, what: str) -> Any:
    if len(text) > MOST_BYTES:
        raise PlanError(say("{what} is larger than 2 MB: this is something else.", what=what))
    try:
        found = orjson.loads(_utf8(text, what))
    except orjson.JSONDecodeError as fault:
        raise PlanError(say("{what} is not JSON: {fault}.", what=what, fault=fault)) from None
    if is_deeper(found, MOST_FILE_DEPTH):
        raise PlanError(say("{what} is nested more than {most} deep.", what=what, most=MOST_FILE_DEPTH))
    return found


def _utf8(text: str | bytes, what: str) -> bytes:
    """The text without the mark that some editors begin UTF-8 with; UTF-16 has zero bytes, which no JSON has."""
    data: bytes | None = None
    with suppress(UnicodeError):
        read = text.encode() if isinstance(text, str) else text
        data = None if "\0" in read.decode() else read
    if data is None:
        raise PlanError(say("{what} is not UTF-8 text: save it as UTF-8.", what=what))
    return data.removeprefix(BOM_UTF8)


def _plan(place: int, found: Any) -> RunPlan:
    try:
        return RunPlan.from_dict(found)
    except PlanError as fault:
        raise PlanError(say("Run {place} of the plan: {fault}", place=place, fault=fault)) from None
