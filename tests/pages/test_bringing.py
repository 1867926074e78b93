"""A loaded plan measures its own model at its own server, whatever stands here under its names already."""

from dataclasses import replace

import pytest

from core.plan import Configuration, Endpoint
from pages.parts import configuration_form
from pages.parts.bringing import bring

LAB = Endpoint(name="lab", base_url="http://127.0.0.1:8000/v1")
KNOWN = Configuration(id="k", label="FP16", endpoint=LAB, model="m")


@pytest.fixture
def library(services):
    services.library.save_endpoint(LAB)
    services.library.save_configuration(KNOWN)
    return services.library


@pytest.fixture(autouse=True)
def ticked(monkeypatch):
    """What is ticked meanwhile; there is no page here."""
    found: list[str] = []
    monkeypatch.setattr(configuration_form, "tick", found.append)
    return found


def test_what_is_known_is_ticked_and_nothing_is_kept_twice(library, ticked):
    kept, words = bring(replace(KNOWN, slot=5))

    assert (kept, words) == (KNOWN, "")
    assert ticked == ["k"]
    assert library.configurations() == [KNOWN]


@pytest.mark.parametrize(
    "wanted",
    [
        replace(KNOWN, model="other"),
        replace(KNOWN, endpoint=replace(LAB, base_url="http://127.0.0.1:9000/v1")),
        replace(KNOWN, endpoint=replace(LAB, api="completions")),
    ],
    ids=["another model", "another server", "another interface"],
)
def test_one_id_and_another_question_is_kept_beside_it_and_said(library, ticked, wanted):
    kept, words = bring(wanted)

    assert (kept.model, kept.endpoint.base_url, kept.endpoint.api) == (
        wanted.model, wanted.endpoint.base_url, wanted.endpoint.api,
    )  # fmt: skip
    assert kept.id != "k"
    assert kept.label == "FP16 (2)"
    assert "FP16 (2)" in words
    assert ticked == [kept.id]
    assert kept in library.configurations()
    assert KNOWN in library.configurations()


def test_a_new_configuration_never_takes_another_server_of_the_same_name(library):
    elsewhere = replace(LAB, base_url="http://127.0.0.1:9000/v1")

    kept, words = bring(Configuration(id="n", label="new", endpoint=elsewhere, model="m"))

    (found,) = [one for one in library.configurations() if one.id == "n"]
    assert words == ""
    assert found == kept
    assert found.endpoint.base_url == elsewhere.base_url
    assert {one.name for one in library.endpoints()} == {"lab", "lab (2)"}


def test_the_same_server_under_another_name_is_not_kept_twice(library):
    bring(Configuration(id="n", label="new", endpoint=replace(LAB, name="their lab"), model="m"))

    assert library.endpoints() == [LAB]


@pytest.mark.usefixtures("library")
def test_two_of_one_id_in_one_plan_stay_two():
    first, _ = bring(Configuration(id="command-line", label="a", endpoint=LAB, model="a"))
    second, _ = bring(Configuration(id="command-line", label="b", endpoint=LAB, model="b"))

    assert {first.model, second.model} == {"a", "b"}
    assert first.id != second.id
