"""All findings of a run together: their order, and which cells they grey."""

import ast
from pathlib import Path

import pytest

from core import doubts
from core.findings import LEVELS, Finding, findings, gathered, greyed, in_order, of_part
from core.records import FailureKind, RequestRecord
from core.run import ClientHealth, Run, RunState
from core.summary import summarise
from tests.core.doubted_runs import DOUBTED
from tests.core.example_runs import answered, failed, plan, run, steady, whole


def kinds(of: Run) -> list[str]:
    """The fixed words of a run's findings, in order."""
    return [finding.kind for finding in findings(of)]


def test_a_sound_run_has_nothing_to_doubt():
    found = findings(run(steady(), client=ClientHealth(loop_lag_p99_s=0.0001)))

    assert [(finding.kind, finding.level) for finding in found] == [("client_kept_up", "ok")]


@pytest.mark.parametrize("kind", DOUBTED)
def test_every_kind_is_found_in_a_run_that_shows_it_and_in_none_that_is_almost_the_same(kind):
    shows, alike = DOUBTED[kind]

    assert kind in kinds(shows)
    assert kind not in kinds(alike)


def told_kinds() -> set[str]:
    """The word of every finding that a file of doubts can yield; each is written out where it is made."""
    found = set()
    for path in Path(doubts.__path__[0]).glob("*.py"):
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "Finding":
                (word,) = [ast.literal_eval(given.value) for given in node.keywords if given.arg == "kind"]
                found.add(word)
    return found


def test_no_kind_is_without_a_run_that_shows_it():
    assert told_kinds() == set(DOUBTED)


# What every result must tell of itself, whatever else it tells.
PROMISED = {
    "client-limited": "client_limited",
    "few samples for the percentile": "few_samples",
    "chunks are not tokens": "chunks_not_tokens",
    "answers shorter than asked": "short_answers",
    "no usage": "no_usage",
    "cold first request": "cold_first_request",
    "failures above 1 %": "failures",
    "buffered stream": "buffered_stream",
    "requests served one after another": "one_after_another",
    "a claim that cannot be compared": "incomparable",
}


def test_every_promised_kind_is_told():
    assert set(PROMISED.values()) <= told_kinds()


def test_the_gravest_comes_first_and_equals_stay_as_they_came():
    made = [
        Finding(kind=f"{level}{place}", level=level, what="", why="") for place in (1, 2) for level in reversed(LEVELS)
    ]

    assert [finding.kind for finding in in_order(made)] == [
        "stop1", "stop2", "act1", "act2", "note1", "note2", "ok1", "ok2",
    ]  # fmt: skip


def test_findings_of_a_bad_run_stand_in_order():
    made = [failed(0), *(whole(index, sent=index) for index in range(1, 5))]

    levels = [finding.level for finding in findings(run(made, client=ClientHealth(loop_lag_p99_s=0.0001)))]

    assert levels == sorted(levels, key=LEVELS.index)
    assert set(levels) >= {"act", "note", "ok"}


def test_every_finding_says_what_and_why_in_sentences():
    made = [failed(0), *(answered(index, sent=index, tokens=None) for index in range(1, 5)), whole(6)]

    for finding in findings(run(made, of=plan(demo="simulated"), state=RunState.INTERRUPTED)):
        assert finding.what.endswith((".", "”"))
        assert finding.why.endswith(".")
        assert finding.text.startswith(finding.what)


def test_not_even_a_median_is_trusted_of_a_few():
    told = {count: next(f.why for f in findings(run(steady(count))) if f.kind == "few_samples") for count in (4, 5, 30)}

    assert told[4].startswith("No percentile can be relied on")
    assert told[5].startswith("Every percentile above p50 is greyed")
    assert told[30].startswith("p99 is greyed")


def test_a_kind_is_told_of_the_run_where_it_is_gravest():
    runs = [(f"of {count}", findings(run(steady(count)))) for count in (60, 7, 30)]

    (few,) = [finding for finding in gathered(runs) if finding.kind == "few_samples"]

    assert few.what == "3 of 3 runs, such as of 7: The percentiles stand on 7 requests."


@pytest.mark.parametrize(("count", "grey"), [(29, {"p90", "p95", "p99"}), (30, {"p99"}), (99, {"p99"}), (100, set())])
def test_percentiles_that_stand_on_few_values_are_greyed(count, grey):
    assert {statistic for metric, statistic in greyed(run(steady(count))) if metric == "ttft_s"} == grey


def test_gap_percentiles_have_their_own_number_of_values():
    cells = greyed(run(steady(12)))

    assert ("ttft_s", "p90") in cells
    assert ("gap_s", "p99") not in cells


def test_a_late_client_greys_what_it_was_too_late_for():
    late = run(steady(), client=ClientHealth(loop_lag_p99_s=0.006))

    cells = greyed(late)

    assert {("ttft_s", "mean"), ("ttft_s", "p50"), ("tpot_s", "mean"), ("gap_s", "p50"), ("itl_s", "p99")} <= cells
    assert ("gap_s", "mean") not in cells
    assert ("e2e_s", "p99") not in cells


@pytest.mark.parametrize(
    "made",
    [
        [],
        [RequestRecord(request_id="r", index=0)],
        [failed(0, sent=None, kind=FailureKind.REFUSED)],
        [answered(0, gaps=(), tokens=None)],
        [answered(index, first=0.0, gaps=(0.0,) * 9) for index in range(6)],
        [whole(0, tokens=None)],
    ],
    ids=["no request", "nothing seen", "refused", "one chunk", "no time passes", "in one piece"],
)
@pytest.mark.parametrize("state", list(RunState))
def test_odd_runs_are_doubted_without_fault(made, state):
    odd = run(made, of=plan(concurrency=4), state=state, client=ClientHealth(loop_lag_p99_s=0.01), environment={})

    assert isinstance(findings(odd), list)
    assert isinstance(greyed(odd), set)


def test_a_run_read_without_its_requests_is_judged_by_its_summary():
    whole_run = run(steady(), client=ClientHealth(loop_lag_p99_s=0.006))
    from core.summary import summarise

    summary = summarise(whole_run.requests)
    listed = run((), client=whole_run.client)

    assert greyed(listed, summary) == greyed(whole_run)
    assert "client_limited" in [finding.kind for finding in findings(listed, summary)]


def test_a_part_of_a_run_has_its_own_count_of_answers_and_the_runs_other_findings():
    seen = run(steady(40), client=ClientHealth(loop_lag_p99_s=0.0001))
    of_run = findings(seen)

    told = of_part(of_run, seen, summarise(steady(25)))

    assert [finding.kind for finding in told] == [finding.kind for finding in of_run]
    assert next(finding.what for finding in told if finding.kind == "few_samples").endswith("stand on 25 requests.")
    assert "few_samples" not in [finding.kind for finding in of_part(of_run, seen, summarise(steady(100)))]
