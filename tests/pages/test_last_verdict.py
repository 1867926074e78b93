"""What the overview says of the last comparison, beside what a tutorial's script would have printed."""

from core.metrics import METRICS
from tests.pages.seen import words

FAST, SLOW = {"label": "Fast", "slot": 0, "tpot": 0.0125}, {"label": "Slow", "slot": 1, "tpot": 0.02}


def plain(page):
    """What is said, without what escapes it."""
    return words(page).replace("\\", "")


def test_under_the_headline_stands_what_a_tutorial_script_would_have_printed_and_why_it_differs(put, opened):
    for level in (1, 4):
        put(f"a{level}", level=level, ttft=0.1 * level, **SLOW)
        put(f"b{level}", level=level, ttft=0.1 * level, **FAST)

    page = opened("overview")
    lines = plain(page).splitlines()
    headline = next(place for place, line in enumerate(lines) if line.startswith("### "))
    told = lines[headline + 1]

    assert "Slow at 1 in flight: A tutorial script would print 38.8 tokens/s (chunks" in told
    assert "its decode speed is 49 tokens/s" in told
    assert "Why they differ: the wait for the first token is 26 %" in told
    element = next(found for found in page.markdown if "tutorial script" in found.value)
    assert METRICS["tutorial"].definition in element.proto.help.replace("\\", "")


def test_nobody_is_named_and_no_empty_line_stands_where_there_is_not_enough_data(put, opened):
    put("a", requests=3, **SLOW)
    put("b", requests=3, **FAST)

    page = opened("overview")

    assert "### Too few requests to say who decodes fastest at 4 in flight" in plain(page)
    assert "decodes at" not in plain(page)
    assert all(found.value.strip() for found in page.markdown)
