"""All findings of a run together: their order, and which cells they grey."""

import pytest

from core.findings import LEVELS, Finding, findings, greyed, in_order
from core.records import FailureKind, RequestRecord
from core.run import ClientHealth, Run, RunState
from tests.core.example_runs import answered, failed, plan, run, steady, whole


def kinds(of: Run) -> list[str]:
    """The fixed words of a run's findings, in order."""
    return [finding.kind for finding in findings(of)]


def test_a_sound_run_has_nothing_to_doubt():
    found = findings(run(steady(), client=ClientHealth(loop_lag_p99_s=0.0001)))

    assert [(finding.kind, finding.level) for finding in found] == [("client_kept_up", "ok")]


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
