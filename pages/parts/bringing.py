"""Keeps the configurations that a loaded plan brings. What stands under their id or name and asks something else stays
as it is, and theirs is kept beside it: a plan never measures another model or another server than its own."""

import uuid
from collections.abc import Collection, Iterator
from dataclasses import replace
from itertools import count

from core import redaction
from core.plan import Configuration, Endpoint
from core.words import say
from pages.parts import configuration_form, state
from pages.parts.text import code


def bring(wanted: Configuration) -> tuple[Configuration, str]:
    """Keep it and tick it; as it is kept now, and one sentence if that is under another label, else ""."""
    library = state.services().library
    stored = library.configurations()
    named = [one for one in stored if wanted.label == one.label or wanted.id == one.id]
    alike = [one for one in named if _asked(one) == _asked(wanted)]
    if alike:
        known = next((one for one in alike if one.label == wanted.label), alike[0])
        configuration_form.tick(known.id)
        return known, ""
    label = _free(wanted.label, {one.label.casefold() for one in stored})
    kept = configuration_form.add(
        replace(
            wanted,
            id=wanted.id if wanted.id not in {one.id for one in stored} else uuid.uuid4().hex[:12],
            label=label,
            slot=library.next_slot(),
            endpoint=_endpoint(wanted.endpoint),
        )
    )
    if label == wanted.label:
        return kept, ""
    return kept, say(
        "{label} of the plan stands here as {kept}: the one of that name asks another model or server.",
        label=code(wanted.label), kept=code(label),
    )  # fmt: skip


def _endpoint(wanted: Endpoint) -> Endpoint:
    """The stored one that is the same server, else this one, kept under a free name."""
    library = state.services().library
    if wanted.demo:
        return wanted
    known = library.endpoints()
    same = [one for one in known if _server(one) == _server(wanted)]
    if same:
        return next((one for one in same if one.name == wanted.name), same[0])
    kept = replace(wanted, name=_free(wanted.name, {one.name.casefold() for one in known}))
    library.save_endpoint(kept)
    return kept


def _asked(one: Configuration) -> tuple[object, ...]:
    """What tells whether two configurations ask the same of the same server, whatever they are called."""
    return (one.model, one.variant, _server(one.endpoint))


def _server(one: Endpoint) -> tuple[object, ...]:
    """Secrets are hidden in a plan, so they cannot tell two endpoints apart."""
    headers = tuple(redaction.headers(one.headers))
    return (one.demo, "" if one.demo else one.base_url, one.api, one.key_name, headers, one.verify, one.ca_file)


def _free(name: str, taken: Collection[str]) -> str:
    return next(one for one in _names(name) if one.casefold() not in taken)


def _names(name: str) -> Iterator[str]:
    yield name
    for place in count(2):
        yield f"{name[:90]} ({place})"
