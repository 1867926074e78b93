"""Dialogs that stay open while the page around them changes."""

from streamlit.testing.v1 import AppTest

from core.words import TABLES


def script():
    import streamlit as st

    from pages.parts import dialog

    if st.button("forget"):
        dialog.forget()
    if st.button("open"):
        dialog.show("Title", lambda key: st.text_input("Field", key=key("field")))
    st.write(f"open: {dialog.is_open()}")


def press(page, label):
    next(button for button in page.button if button.label == label).click()
    return page.run()


def test_each_opening_begins_with_fresh_fields_and_is_known_until_the_page_is_drawn_anew():
    page = AppTest.from_function(script, default_timeout=30).run()
    assert page.markdown[0].value == "open: False"

    press(page, "open")
    first = page.text_input[0].key
    assert page.markdown[-1].value == "open: True"
    press(page, "open")
    assert page.text_input[0].key != first

    press(page, "forget")
    assert page.markdown[-1].value == "open: False"


def question():
    from pages.parts import dialog

    dialog.confirm(lambda name: name, "Sure?", "Go", lambda: None)


def test_the_way_back_is_said_in_the_readers_language(monkeypatch):
    monkeypatch.setitem(TABLES["en"], "Keep", "Behalten")

    assert [found.label for found in AppTest.from_function(question).run().button] == [
        "Behalten",
        ":red[:material/delete: Go]",
    ]


def test_the_button_that_loses_something_is_red_and_not_the_primary_one():
    keep, go = AppTest.from_function(question).run().button

    assert go.label.startswith(":red[")
    assert not keep.label.startswith(":")
    assert {keep.proto.type, go.proto.type} == {"secondary"}
