"""Cut names keep their ends and stay different."""

from hypothesis import given
from hypothesis import strategies as st

from core.shortening import cut, distinct


def test_a_short_name_stays_as_it_is():
    assert cut("Q4_0,\n two  slots", 40) == "Q4_0, two slots"


def test_a_long_name_loses_its_middle():
    assert cut("Simulated 50.0 ms, 100 tokens/s", 15) == "Simulat…okens/s"


def test_names_that_differ_in_the_middle_only_get_a_number():
    assert distinct(["aaaaaaXbbbbbb", "aaaaaaYbbbbbb"], 9) == ["aaaa…bbbb", "aa…bb (2)"]


@given(st.lists(st.text("ab ", max_size=30), max_size=12), st.integers(8, 20))
def test_cut_names_are_short_and_never_alike(names, longest):
    found = distinct(names, longest)

    assert len(set(found)) == len(names)
    assert all(len(name) <= longest for name in found)
