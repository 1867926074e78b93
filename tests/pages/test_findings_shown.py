"""Every reason to doubt a run stands on its page and, counted, on the comparison; one almost the same has none."""

from dataclasses import replace

import pytest

from tests.core.doubted_runs import DOUBTED
from tests.core.example_runs import plan, run, steady
from tests.pages.seen import words

ASKED = plan(label="Sound")
SENTENCES = {
    "client_limited": "load generator was late",
    "few_samples": "The percentiles stand on 99 requests",
    "chunks_not_tokens": "Chunks are not tokens in 120 of 120 answers",
    "short_answers": "fewer than the 20 asked for",
    "no_usage": "120 of 120 answers came without a token count",
    "behind_schedule": "The cap of 4 in flight held them back",
    "not_connected": "could not be sent, as no connection was open to them",
    "impossible_counts": "120 of 120 answers have token counts that cannot be",
    "saturated": "The server was saturated at 10 requests/s",
    "turned_away": "turned away with 429",
    "cold_first_request": "The first request waited",
    "failures": "usable answer",
    "buffered_stream": "came all at once",
    "one_after_another": "their answers came one after another",
    "incomparable": "Not known of this run: the server's hardware",
    "machine_busy": "This machine was 96 % busy",
    "not_streamed": "1 of 120 answers came in one piece",
    "max_tokens_not_obeyed": "120 of 120 answers were longer than asked",
    "simulated": "The endpoint is simulated",
    "parameters_changed": "One parameter of the request was changed before the run",
}


@pytest.mark.parametrize("kind", SENTENCES)
def test_a_doubt_stands_on_the_run_and_on_the_comparison_and_its_like_has_none(services, opened, kind):
    (shows, alike), sentence = DOUBTED[kind], SENTENCES[kind]
    services.runs.add(replace(run(steady(), of=replace(ASKED, load=shows.plan.load)), id="sound"))
    services.runs.add(shows)
    services.runs.add(replace(alike, id="alike"))

    def said(page, **query):
        return words(opened(page, **query)).replace("\\", "")

    assert sentence in said("run", run="doubted")
    assert sentence in said("compare", runs="sound,doubted")
    assert sentence not in said("run", run="alike")
    assert sentence not in said("compare", runs="sound,alike")
