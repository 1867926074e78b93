"""The name, tags and notes of a run, changed where the run is looked at."""

import pytest
from streamlit.testing.v1 import AppTest

from pages.parts import run_labels
from tests.pages.seen import HOSTILE, button, words


def control():
    import streamlit as st

    from pages.parts import run_labels

    run_labels.draw(st.container(), "r1")
    st.markdown(run_labels.shown("r1") or "nothing")


@pytest.fixture
def page(put):
    put("r1", label="F16")
    return AppTest.from_function(control, default_timeout=60).run()


def save(page, **values):
    for name, value in values.items():
        next(
            found
            for found in (*page.text_input, *page.text_area, *page.multiselect)
            if found.key == f"labels_{name}_r1"
        ).set_value(value)
    button(page, "Save").click()
    page.run()
    assert not page.exception
    return page


def test_what_is_typed_is_kept_and_shown(page, services):
    services.runs.tag("r1", ["gpu"])

    save(page.run(), name="  Nightly ", tags=["gpu"], notes="After the driver\nupdate.")

    kept = services.runs.run("r1", requests=False)
    assert (kept.name, kept.tags, kept.notes) == ("Nightly", ("gpu",), "After the driver\nupdate.")
    assert ":gray-badge[gpu]" in words(page)
    assert "After the driver  \nupdate" in words(page)


def test_tags_of_other_runs_are_offered(page, put, services):
    put("r2", label="Q4_0")
    services.runs.tag("r2", ["baseline"])

    assert page.run().multiselect[0].options == ["baseline"]


def test_an_empty_name_is_refused_and_the_old_one_stays(page, services):
    save(page, name="  ", notes="x")

    assert "needs a name" in words(page)
    kept = services.runs.run("r1", requests=False)
    assert (kept.name, kept.notes) == ("F16 at 4 in flight", "")


def test_a_run_that_was_deleted_meanwhile_is_said(page, services, monkeypatch):
    read = services.runs.run

    def gone_afterwards(*args, **options):
        found = read(*args, **options)
        services.runs.delete(["r1"])
        return found

    with monkeypatch.context() as patch:
        patch.setattr(type(services.runs), "run", lambda _self, *args, **options: gone_afterwards(*args, **options))
        patch.setattr(run_labels, "shown", lambda _: "")
        save(page, notes="x")

        assert "it may have been deleted" in words(page)


def test_hostile_labels_stay_words(page, services):
    save(page, notes=HOSTILE)
    services.runs.tag("r1", [HOSTILE])

    assert HOSTILE not in words(page.run())
    assert "nothing" not in words(page)
