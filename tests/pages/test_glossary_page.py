"""The glossary holds every term of core.metrics, and finds them."""

import pytest

from core.metrics import METRICS
from tests.pages.seen import words


def terms(page):
    return {heading.value for heading in page.subheader}


@pytest.mark.usefixtures("services")
@pytest.mark.parametrize("alone", [True, False])
def test_every_term_is_there_under_its_anchor(opened, alone):
    page = opened("glossary", alone=alone)

    assert terms(page) == {spec.title for spec in METRICS.values()}
    assert {heading.anchor for heading in page.subheader} == {spec.anchor for spec in METRICS.values()}
    assert "ttft" in {heading.anchor for heading in page.subheader}


def test_a_search_in_the_link_finds_a_term_by_any_of_its_words(opened):
    page = opened("glossary", q="goodput slo")

    assert "Goodput" in terms(page)
    assert "TTFT" not in terms(page)


def test_what_other_tools_call_it_is_searched_too(opened):
    assert "TTFA" in terms(opened("glossary", q="TTFO"))


def test_a_search_without_a_match_says_so(opened):
    page = opened("glossary", q="[nothing](x)")

    assert not terms(page)
    assert "No term contains" in words(page)
