"""A page that shows something as under way is drawn again once that has ended, whenever it does."""

from streamlit.testing.v1 import AppTest


def page(kept):
    import streamlit as st

    from pages.parts import following

    kept["drawn"] = kept.get("drawn", 0) + 1
    shown = kept["going"]
    st.markdown("under way" if shown else "ended")
    kept["going"] = kept["going"] and not kept["ends"]  # what happens while the page is being drawn
    st.session_state["dialog_open"] = kept.get("dialog", False)
    following.follow(shown, lambda: not kept["going"], lambda: st.markdown("drawn below"))


def drawn(**kept):
    shown = AppTest.from_function(page, kwargs={"kept": kept}, default_timeout=60).run()
    assert not shown.exception
    return [element.value for element in shown.markdown], kept


def test_work_that_ends_while_the_page_is_drawn_does_not_stay_on_it_as_under_way():
    words, kept = drawn(going=True, ends=True)

    assert words == ["ended", "drawn below"]
    assert kept["drawn"] == 2


def test_work_that_goes_on_is_drawn_once_and_followed():
    words, kept = drawn(going=True, ends=False)

    assert words == ["under way", "drawn below"]
    assert kept["drawn"] == 1


def test_where_nothing_goes_on_the_page_is_left_alone():
    words, kept = drawn(going=False, ends=True)

    assert words == ["ended", "drawn below"]
    assert kept["drawn"] == 1


def test_a_page_with_an_open_dialog_waits():
    words, kept = drawn(going=True, ends=True, dialog=True)

    assert words == ["under way", "drawn below"]
    assert kept["drawn"] == 1


def test_only_what_is_under_way_makes_the_fragment_tick(monkeypatch):
    import streamlit as st

    from pages.parts import following

    ticks = []
    monkeypatch.setattr(st, "fragment", lambda _, run_every: ticks.append(run_every) or (lambda: None))

    following.follow(True, lambda: False)
    following.follow(False, lambda: True)

    assert ticks == [following.TICK_S, None]
