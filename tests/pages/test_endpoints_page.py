"""The page of endpoints, and the dialog that makes one."""

import re
import threading
from dataclasses import replace

import pytest
from streamlit.testing.v1 import AppTest

from core.plan import Endpoint
from core.probe import ProbeState
from core.words import TABLES
from pages.parts import endpoint_table, following, probing
from tests.jobs import all_ended
from tests.pages.probes import probed
from tests.pages.seen import HOSTILE, button, words

LAB = Endpoint(name="lab", base_url="http://127.0.0.1:1/v1", key_name="LAB_KEY", headers=(("X-Team", "a"),), notes="n")


@pytest.mark.usefixtures("services")
@pytest.mark.parametrize("alone", [True, False])
def test_the_two_built_in_endpoints_are_there_from_the_start(opened, alone):
    page = opened("endpoints", alone=alone)

    table = page.dataframe[0].value
    assert list(table["Endpoint"]) == ["Built-in llama.cpp", "Simulated"]
    assert list(table["Address"]) == ["built in, 127.0.0.1"] * 2
    assert "None of your own yet" in words(page)
    assert list(table["State"]) == [["built in"]] * 2
    assert "It needs no probe" in words(page)
    assert "ot probed" not in words(page)


def test_an_endpoint_of_ones_own_is_not_probed_until_it_was(services, opened):
    services.library.save_endpoint(LAB)

    page = opened("endpoints")

    assert list(page.dataframe[0].value["State"]) == [["not probed"], ["built in"], ["built in"]]
    assert "Not probed yet" in words(page)


def test_a_probe_is_shown_in_the_table_and_below(services, opened):
    services.library.save_endpoint(LAB)
    services.library.save_probe("lab", probed().to_dict())

    page = opened("endpoints")

    row = page.dataframe[0].value.iloc[0]
    assert (row["Engine"], row["Model"], row["State"]) == ("vLLM 0.32", "qwen", ["ready"])
    assert row["First token"] == pytest.approx(46)
    assert (row["Tokens from"], row["Key name"], row["Streams"]) == ("usage", "LAB_KEY", "yes")
    assert "vLLM answers" in words(page)
    assert "401" in page.table[0].value.to_string()


def test_the_state_of_an_endpoint_is_told_in_the_readers_language(services, opened, monkeypatch):
    monkeypatch.setitem(TABLES["en"], "ready", "bereit")
    services.library.save_endpoint(LAB)
    services.library.save_probe("lab", probed().to_dict())

    shown = opened("endpoints").dataframe[0]

    assert shown.value["State"][0] == ["bereit"]
    assert '"bereit"' in shown.proto.columns


def test_a_failed_probe_says_what_was_sent_and_what_comes_next(services, opened):
    services.library.save_endpoint(LAB)
    found = probed(ProbeState.KEY_REFUSED, what="401: no.", sent="Sent the key to x.", next_step="Name another key.")
    services.library.save_probe("lab", found.to_dict())

    shown = words(opened("endpoints"))

    assert "**401\\: no\\.**" in shown
    assert "Sent the key to x" in shown
    assert "Next: Name another key" in shown


def test_what_a_hostile_server_says_stays_words(services, opened):
    services.library.save_endpoint(Endpoint(name=HOSTILE, base_url="http://127.0.0.1:1/v1"))
    values = dict.fromkeys(("what", "sent", "next_step", "engine", "model"), HOSTILE)
    found = probed(**values, models=(HOSTILE,), notes=(HOSTILE,), details=((HOSTILE, HOSTILE),))
    services.library.save_probe(HOSTILE, found.to_dict())

    page = opened("endpoints")

    shown = [element.value for element in page.markdown if "`" not in element.value]
    assert not [text for text in shown if HOSTILE in text]
    assert HOSTILE not in page.table[0].value.to_string()


def test_a_probe_of_another_version_counts_as_none(services, opened):
    services.library.save_endpoint(LAB)
    services.library.save_probe("lab", {"something": "else"})

    assert "Not probed yet" in words(opened("endpoints"))


def under_way(services, name):
    """A probe of that endpoint that goes on until the returned event is set."""
    go_on = threading.Event()

    def work(_progress):
        go_on.wait(20)
        services.library.save_probe(name, probed(endpoint_name=name).to_dict())

    services.background.start(probing.job_name(services.library.endpoint(name)), work)
    return go_on


@pytest.mark.parametrize("row", [0, 1, None])
def test_a_probe_that_ends_while_the_page_is_drawn_does_not_stay_as_probing(services, opened, monkeypatch, row):
    for name in ("lab", "other"):
        services.library.save_endpoint(replace(LAB, name=name))
    go_on = under_way(services, "lab")
    shown, drawn = [], endpoint_table.show

    def show(lines, **options):
        drawn(lines, **options)
        shown.append(lines[0].state)
        go_on.set()
        assert all_ended(services.background, 20)
        return row

    monkeypatch.setattr(endpoint_table, "show", show)

    page = opened("endpoints")

    assert shown == ["probing", "ready"]
    assert page.dataframe[0].value["State"][0] == ["ready"]


@pytest.mark.parametrize("row", [0, 1, None])
def test_a_page_that_shows_a_probe_as_under_way_looks_again(services, opened, monkeypatch, row):
    for name in ("lab", "other"):
        services.library.save_endpoint(replace(LAB, name=name))
    go_on = under_way(services, "lab")
    ticks = []

    def follow(shown, _ended, draw=lambda: None, **_more):
        ticks.append(shown)
        draw()

    monkeypatch.setattr(following, "follow", follow)
    drawn = endpoint_table.show
    monkeypatch.setattr(endpoint_table, "show", lambda lines, **options: (drawn(lines, **options), row)[1])

    page = opened("endpoints")

    assert page.dataframe[0].value["State"][0] == ["probing"]
    assert bool(re.search(r"shimmer\[Probing\].*127\.0\.0\.1:1.*\*\*\d+ s\*\*", words(page))) is (row == 0)
    assert True in ticks
    go_on.set()
    assert all_ended(services.background, 20)


def form(known_name=""):
    from pages.parts import endpoint_form, state

    known, replaces = endpoint_form.EMPTY, None
    if known_name:
        known, replaces = state.services().library.endpoint(known_name), known_name
    endpoint_form._form(lambda name: f"t_{name}", endpoint_form.Opened(known=known, replaces=replaces))


def fill(page, **values):
    for name, value in values.items():
        field = next(found for found in (*page.text_input, *page.text_area) if found.key == f"t_{name}")
        field.set_value(value)
    button(page, "Save and probe").click()
    page.run()
    assert not page.exception
    return page


@pytest.fixture
def dialog(services):
    assert services.library.endpoints() == []
    return AppTest.from_function(form, default_timeout=30).run()


@pytest.mark.parametrize(
    ("values", "sentence"),
    [
        ({"name": "a", "url": ""}, "Base URL is empty"),
        ({"name": "", "url": "h:1"}, "Endpoint name is empty"),
        ({"name": "a", "url": "ftp://h"}, "only http and https"),
        ({"name": "a", "url": "h:1", "headers": "X-Team"}, "Extra headers, line 1"),
        ({"name": "a", "url": "h:1", "headers": "Host: x"}, "is set by Paceline itself"),
        ({"name": "a", "url": "https://h:1", "ca": "/dev"}, "The CA file /dev cannot be used: it is a folder."),
        ({"name": "a", "url": "https://h:1", "ca": "/dev/zero"}, "cannot be used: it is a pipe or a device"),
        ({"name": "a", "url": "h:1", "headers": "Authorization: Bearer sk-12345678901234567890"}, "looks like a key"),
    ],
)
def test_a_refused_field_gets_its_sentence_and_nothing_typed_is_lost(dialog, services, values, sentence):
    page = fill(dialog, **values)

    assert sentence in words(page).replace("\\", "")
    assert services.library.endpoints() == []
    for name, value in values.items():
        kept = next(found for found in (*page.text_input, *page.text_area) if found.key == f"t_{name}")
        assert kept.value == value


def test_a_pasted_full_path_is_understood_and_kept(dialog, services):
    fill(dialog, name="lab", url="127.0.0.1:1/v1/chat/completions", headers="X-Team: a")

    assert all_ended(services.background, 20)
    (kept,) = services.library.endpoints()
    assert kept.base_url == "http://127.0.0.1:1/v1"
    assert kept.headers == (("X-Team", "a"),)
    assert services.library.probe("lab").values["state"] == ProbeState.UNREACHABLE


def test_a_typed_key_is_for_this_session_and_is_stored_nowhere(dialog, services):
    page = fill(dialog, name="lab", url="127.0.0.1:1", typed="sk-secret-9876543210")

    assert all_ended(services.background, 20)
    assert page.session_state["session_keys"].find(services.library.endpoint("lab")) is not None
    services.database.checkpoint()
    assert b"sk-secret" not in services.database.path.read_bytes()


def test_a_name_that_is_taken_is_told(dialog, services):
    services.library.save_endpoint(LAB)

    assert "is named LAB already" in words(fill(dialog, name="LAB", url="h:1")).replace("\\", "")


def form_of_one_dialog():
    import streamlit as st

    from pages.parts import endpoint_form, state

    known = st.session_state.setdefault("known", state.services().library.endpoint("lab"))
    endpoint_form._form(lambda name: f"t_{name}", endpoint_form.Opened(known=known, replaces="lab"))


def test_what_another_browser_made_of_it_meanwhile_is_told_before_it_is_written_over(services):
    services.library.save_endpoint(LAB)
    page = AppTest.from_function(form_of_one_dialog, default_timeout=30).run()
    services.library.save_endpoint(replace(LAB, notes="theirs"), replaces="lab")

    fill(page, notes="mine")
    assert "changed by somebody else meanwhile" in words(page)
    assert [one.notes for one in services.library.endpoints()] == ["theirs"]

    fill(page)
    assert all_ended(services.background, 20)
    assert [one.notes for one in services.library.endpoints()] == ["mine"]


def test_editing_begins_with_what_is_stored_and_replaces_it(services):
    services.library.save_endpoint(LAB)
    page = AppTest.from_function(form, kwargs={"known_name": "lab"}, default_timeout=30).run()

    assert [field.value for field in page.text_input if field.key in ("t_name", "t_url")] == ["lab", LAB.base_url]
    fill(page, url="http://127.0.0.1:2/v1", notes="other")

    assert all_ended(services.background, 20)
    (kept,) = services.library.endpoints()
    assert (kept.base_url, kept.notes) == ("http://127.0.0.1:2/v1", "other")
    assert (kept.name, kept.key_name, kept.headers) == ("lab", "LAB_KEY", LAB.headers)


def test_a_missing_key_comes_with_the_lines_to_copy(services, opened):
    services.library.save_endpoint(replace(LAB, key_name=None))
    services.library.save_probe("lab", probed(ProbeState.KEY_MISSING, what="401: a key, please.").to_dict())

    (lines,) = [element.value for element in opened("endpoints").code]

    assert lines.startswith("[api_keys.NAME]\nvalue = ")
    assert lines.endswith('hosts = ["127.0.0.1:1"]')


def place_of(node, label):
    """The place of a part among those beside it, which is how the browser knows it again."""
    for place, child in getattr(node, "children", {}).items():
        found = place if getattr(child, "label", None) == label else place_of(child, label)
        if found is not None:
            return found
    return None


@pytest.mark.usefixtures("services")
def test_what_is_understood_of_an_address_moves_nothing_that_stands_below_it():
    """What moves is drawn anew in the browser: a part that somebody had unfolded falls shut."""
    page = AppTest.from_function(form, default_timeout=60).run()
    label = "Headers, timeouts, certificate, notes"
    before = place_of(page._tree, label)

    next(box for box in page.text_input if box.label == "Base URL").input("127.0.0.1:8000").run()

    assert "Requests go to" in words(page)
    assert before is not None
    assert place_of(page._tree, label) == before
