"""What the database has to say stands on top of every page, until it is over and read."""

import pytest

from pages.parts import navigation, storage_notes
from storage.problems import StorageProblem
from tests.pages.seen import button, words

FULL = "The disk is full: nothing can be saved."
CUT = "The log of the last changes breaks off in the middle."
STEMS = sorted({stem for rows in navigation.SECTIONS.values() for stem, _, _ in rows})


@pytest.mark.parametrize("stem", STEMS)
def test_what_cannot_be_written_is_the_first_thing_on_every_page(services, put, opened, stem):
    put("r1")
    services.database._report(StorageProblem(FULL))

    page = opened(stem, alone=False)

    shown = [
        element.value.replace("\\", "") for element in page.main if element.type in {"markdown", "title", "heading"}
    ]
    assert FULL in shown[0], shown
    assert sum(FULL in words for words in shown) == 1
    assert not [one for one in page.button if one.label == "Got it"]  # it is not over


def test_what_is_over_can_be_put_away_for_good(services, opened):
    services.database._messages = (CUT,)
    page = opened("runs", alone=False)
    assert "breaks off in the middle" in words(page)

    button(page, "Got it").click()
    page.run()

    assert "breaks off in the middle" not in words(page)
    assert button(page, "Run built-in comparison")  # the page itself stays
    services.database._report(StorageProblem(FULL))
    page.run()
    assert "The disk is full" in words(page)


def test_what_was_written_after_all_goes_by_itself(services, opened):
    services.database._report(StorageProblem(FULL))
    page = opened("runs", alone=False)
    assert page.session_state[storage_notes.DRAWN] == (FULL,)

    services.database.well()
    page.run()

    assert "The disk is full" not in words(page)
    assert page.session_state[storage_notes.DRAWN] == ()
