"""A rate says what it counts: a card's "/s" only under a title that names tokens or requests, a text's never bare."""

import re
from dataclasses import replace

import pytest
from streamlit.testing.v1 import AppTest

from core.fleet.live import LiveExperiment, LiveRun
from core.plan import Load, RunPlan, Slo
from core.run import RunState
from core.servers import builtin
from tests.pages.seen import STARTED, figures, made

COUNTED = re.compile("token|request|chunk", re.IGNORECASE)
BARE = re.compile(r"\d\s*/s\b")
PLAN = RunPlan(configuration=builtin.simulated_configuration(0))
AT_5 = replace(PLAN, load=Load(concurrency=None, rate=5.0, requests=40))


def live(plan):
    """A launch with every number that it may show."""
    run = LiveRun(
        run_id="r", plan=plan, state=RunState.RUNNING, sent=9, ended=5, ok=5, ttft_p50_s=0.1, elapsed_s=5.0,
        output_tokens_per_s=82.6, offered_rate_per_s=5.0, achieved_rate_per_s=4.9, slip_p50_s=0.01, slip_p99_s=0.02,
    )  # fmt: skip
    return LiveExperiment(id="e", name="e", state=RunState.RUNNING, queued_at=STARTED, started_at=STARTED, runs=(run,))


def numbers(found):
    """The row of numbers over a launch that goes on."""
    from pages.parts import live_numbers

    live_numbers.show(found)


def faults(page):
    """Cards and texts in which a rate does not say what it counts."""
    cards = [
        card for card in page.metric if BARE.search(f"{card.value} {card.delta}") and not COUNTED.search(card.label)
    ]
    texts = [text.value for text in page.markdown if BARE.search(text.value)]
    charted = [
        text for figure in figures(page) for text in re.findall(r'"text": "([^"]*)"', str(figure).replace("'", '"'))
    ]
    return [card.label for card in cards] + texts + [text for text in charted if BARE.search(text)]


@pytest.mark.parametrize("plan", [PLAN, AT_5], ids=["closed loop", "open loop"])
def test_the_live_numbers_say_what_they_count(plan):
    page = AppTest.from_function(numbers, kwargs={"found": live(plan)}, default_timeout=60).run()

    assert not page.exception
    assert any("/s" in card.value for card in page.metric)
    assert faults(page) == []


@pytest.mark.parametrize("load", [PLAN.load, AT_5.load], ids=["closed loop", "open loop"])
def test_the_page_of_a_run_says_what_it_counts(services, opened, load):
    run, records = made("r1")
    run = replace(run, plan=replace(run.plan, load=load, slo=Slo.read(["ttft_s.p95 < 1", "decode_tps.p50 > 1"])))
    services.runs.run_started(run)
    services.runs.requests("r1", [replace(one, scheduled_s=one.sent_s) for one in records])
    services.runs.run_ended(run)

    page = opened("run", run="r1")

    assert sum("/s" in card.value for card in page.metric) >= 2
    assert faults(page) == []


@pytest.mark.parametrize("stem", ["overview", "endpoints", "benchmark", "runs"])
def test_the_other_pages_say_what_they_count(put, opened, stem):
    put("r1", label="A")
    put("r2", label="B", config="b", slot=1, tpot=0.02)

    assert faults(opened(stem)) == []


def test_a_card_without_the_word_is_found():
    def wrong():
        import streamlit as st

        st.metric("Achieved", "8.26 /s")
        st.markdown("goodput 3.2 /s")

    assert len(faults(AppTest.from_function(wrong).run())) == 2
