"""Whether the values of a plan are of the right kind and size. Refuses with one sentence; knows no plan."""

import math
from dataclasses import MISSING, fields
from reprlib import repr as shortened
from typing import Any, Literal, TypeGuard, get_args, get_origin

from core.base_url import require
from core.words import say

MOST_DEPTH = 48  # of objects and lists within each other
MOST_FILE_DEPTH = 64  # of a file: a body stands a few levels down in it
NESTING = frozenset({dict, list, tuple})
LARGEST, SMALLEST = 2**64 - 1, -(2**63)  # beyond them a whole number of JSON is not read alike everywhere


def whole(name: str, value: object, least: int, most: int) -> None:
    """Refuse everything but a whole number within these bounds; True is none, and neither is 2.0."""
    require(
        type(value) is int and least <= value <= most,
        "{name} is {value}: give a whole number from {least:,} to {most:,}.",
        name=say(name), value=shortened(value), least=least, most=most,
    )  # fmt: skip


def number(name: str, value: object, least: float, most: float) -> None:
    """Refuse everything but a number within these bounds."""
    require(
        _is_number(value) and least <= value <= most,
        "{name} is {value}: give a number from {least:,} to {most:,}.",
        name=say(name), value=shortened(value), least=least, most=most,
    )  # fmt: skip


def above_zero(name: str, value: object, most: float) -> None:
    """Refuse everything but a number above 0 and at most this."""
    require(
        _is_number(value) and 0 < value <= most,
        "{name} is {value}: give a number above 0 and at most {most:,}.",
        name=say(name), value=shortened(value), most=most,
    )  # fmt: skip


def flag(name: str, value: object) -> None:
    """Refuse everything but true and false: the text "false" would count as true."""
    require(type(value) is bool, "{name} is {value}: give true or false.", name=say(name), value=shortened(value))


def text(name: str, value: object, most: int, *, none: bool = False) -> None:
    """Refuse everything but a text of at most this many characters; with `none`, None passes too."""
    require(
        (value is None and none) or (type(value) is str and len(value) <= most),
        "{name} is {value}: give a text of at most {most:,} characters.",
        name=say(name), value=shortened(value), most=most,
    )  # fmt: skip


def members(kind: Any, title: str, found: dict[str, Any]) -> None:
    """Refuse a JSON object that lacks a member of this dataclass, or has one that is no text, list or known word.

    Numbers and switches are left to the dataclass itself: its sentences tell their bounds, too.
    """
    specs = fields(kind)
    missing = [
        spec.name
        for spec in specs
        if spec.name not in found and spec.default is MISSING and spec.default_factory is MISSING
    ]
    require(not missing, "{title} has no {names}: export the plan again.", title=title, names=", ".join(missing))
    for spec in specs:
        wanted = _wanted(spec.type, found[spec.name]) if spec.name in found else ""
        require(
            not wanted,
            "{title}: {name} is {value}: give {wanted}.",
            title=title, name=spec.name, value=shortened(found.get(spec.name)), wanted=wanted,
        )  # fmt: skip


def _wanted(kind: Any, value: object) -> str:
    """What should stand there instead; "" if the value will do, or is not judged here."""
    if get_origin(kind) is Literal:
        known = ", ".join(filter(None, get_args(kind)))
        return "" if value in get_args(kind) else say("one of {known}", known=known)
    if get_origin(kind) is tuple:
        return "" if isinstance(value, list | tuple) else say("a list")
    if kind == str | None:
        return "" if value is None or type(value) is str else say("a text or null")
    return "" if kind is not str or type(value) is str else say("a text")


def json_object(name: str, value: object) -> None:
    """Refuse everything but a dict that can be written as JSON and read back the same."""
    require(isinstance(value, dict), '{name} is not a JSON object: write it as {{"key": value}}.', name=say(name))
    fault = say("it is nested more than {most} deep", most=MOST_DEPTH) if is_deeper(value, MOST_DEPTH) else ""
    fault = fault or _json_fault(value)
    require(not fault, "{name} cannot be sent as JSON: {fault}.", name=say(name), fault=fault)


def is_deeper(value: object, most: int) -> bool:
    """Whether objects and lists stand within each other more than `most` deep."""
    level: list[Any] = [value] if type(value) in NESTING else []
    for _ in range(most):
        members = (one.values() if type(one) is dict else one for one in level)
        # Looking at the kinds first keeps long lists of chunk times cheap.
        level = [
            inner for some in members if NESTING & set(map(type, some)) for inner in some if type(inner) in NESTING
        ]
        if not level:
            break
    return bool(level)


def _is_number(value: object) -> TypeGuard[float]:
    return type(value) in (int, float)


def _json_fault(value: Any) -> str:
    if isinstance(value, dict | list | tuple):
        return _nested_fault(value)
    if isinstance(value, str):
        return say("it has a text with half a character") if _is_broken(value) else ""
    if isinstance(value, int):
        fine = SMALLEST <= value <= LARGEST
    else:
        fine = value is None or (isinstance(value, float) and math.isfinite(value))
    return "" if fine else say("it has the value {value}", value=shortened(value))


def _nested_fault(value: Any) -> str:
    if isinstance(value, dict):
        strange = [key for key in value if not isinstance(key, str) or _is_broken(key)]
        if strange:
            return say("its key {key} is not text", key=shortened(strange[0]))
    parts = value.values() if isinstance(value, dict) else value
    return next(filter(None, (_json_fault(part) for part in parts)), "")


def _is_broken(text: str) -> bool:
    try:
        text.encode()
    except UnicodeEncodeError:
        return True
    return False
