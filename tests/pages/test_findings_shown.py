"""Every reason to doubt a run stands on its page and, counted, on the comparison; one almost the same has none."""

from dataclasses import replace

import pytest

from core.load import Load
from core.records import FailureKind
from core.run import ClientHealth, StoppedBy
from tests.core.example_runs import answered, failed, plan, run, steady
from tests.pages.seen import words

ASKED = plan(label="Sound")


def doubted(requests=None, **rest):
    """The run that shows it."""
    return run(requests or steady(), of=plan(label="Doubted"), id="doubted", **rest)


def serial(count, in_flight):
    """A server that takes one request after the other, each for 0.2 s, while several wait."""
    return [
        answered(index, sent=0.2 * max(0, index - in_flight), first=0.2 * min(index + 1, in_flight + 1) - 0.15)
        for index in range(count)
    ]


def at_ten_a_second(slip, **rest):
    """An open loop, each request sent so late."""
    made = doubted([answered(index, scheduled_s=index / 10, sent=index / 10 + slip) for index in range(120)], **rest)
    return replace(made, plan=replace(made.plan, load=Load(concurrency=None, rate=10.0, max_in_flight=4)))


def away(index):
    """A request that the server's limit refused."""
    return failed(index, sent=index, kind=FailureKind.HTTP_429)


DOUBTS = {
    "client-limited": (
        doubted(client=ClientHealth(loop_lag_p99_s=0.02)),
        doubted(client=ClientHealth(loop_lag_p99_s=0.0002)),
        "load generator was late",
    ),
    "few samples": (doubted(steady(99)), doubted(steady(100)), "The percentiles stand on 99 requests"),
    "chunks are not tokens": (
        doubted([answered(index, sent=index, tokens=30) for index in range(120)]),
        doubted([answered(index, sent=index, tokens=11) for index in range(120)]),
        "Chunks are not tokens in 120 of 120 answers",
    ),
    "short answers": (
        doubted([answered(index, sent=index, asked=20) for index in range(120)]),
        doubted([answered(index, sent=index, asked=10) for index in range(120)]),
        "fewer than the 20 asked for",
    ),
    "no usage": (
        doubted([answered(index, sent=index, tokens=None) for index in range(120)]),
        doubted(),
        "120 of 120 answers came without a token count",
    ),
    "held back by the cap in flight": (
        at_ten_a_second(0.5, client=ClientHealth(max_in_flight=4)),
        at_ten_a_second(0.0, client=ClientHealth(max_in_flight=4)),
        "The cap of 4 in flight held them back",
    ),
    "saturated": (
        at_ten_a_second(0.0, stopped_by=StoppedBy.SATURATION),
        at_ten_a_second(0.0, stopped_by=StoppedBy.DURATION),
        "The server was saturated at 10 requests/s",
    ),
    "turned away": (
        doubted([*steady(196), *(away(number) for number in range(196, 200))]),
        doubted([*steady(198), *(away(number) for number in range(198, 200))]),
        "turned away with 429",
    ),
    "cold first request": (
        doubted([answered(0, first=0.9), *(answered(index, sent=index) for index in range(1, 120))]),
        doubted([answered(0, first=0.19), *(answered(index, sent=index) for index in range(1, 120))]),
        "The first request waited",
    ),
    "failures above 1 %": (
        doubted([*steady(198), failed(198, sent=40), failed(199, sent=41), failed(200, sent=42)]),
        doubted([*steady(198), failed(198, sent=40), failed(199, sent=41)]),
        "usable answer",
    ),
    "buffered stream": (
        doubted([answered(index, sent=3 * index, first=2.0, gaps=(0.001,) * 9) for index in range(120)]),
        doubted([answered(index, sent=3 * index, first=2.0, gaps=(0.03,) * 9) for index in range(120)]),
        "came all at once",
    ),
    "served one after another": (
        doubted(serial(120, 4)),
        doubted([answered(index, sent=0.2 * (index // 4)) for index in range(120)]),
        "their answers came one after another",
    ),
    "a claim that cannot be compared": (
        replace(doubted(), plan=plan(label="Doubted", settings=())),
        doubted(),
        "Not known of this run: the server's hardware",
    ),
}


@pytest.mark.parametrize("kind", DOUBTS)
def test_a_doubt_stands_on_the_run_and_on_the_comparison_and_its_like_has_none(services, opened, kind):
    shows, alike, sentence = DOUBTS[kind]
    services.runs.add(replace(run(steady(), of=replace(ASKED, load=shows.plan.load)), id="sound"))
    services.runs.add(shows)
    services.runs.add(replace(alike, id="alike"))

    def said(page, **query):
        return words(opened(page, **query)).replace("\\", "")

    assert sentence in said("run", run="doubted")
    assert sentence in said("compare", runs="sound,doubted")
    assert sentence not in said("run", run="alike")
    assert sentence not in said("compare", runs="sound,alike")
