"""How a run went: each doubt with a run that shows it and one almost the same that does not."""

from dataclasses import replace

import pytest

from core.doubts.course import busy_doubts, failure_doubts, preflight_doubts, simulated_doubts, state_doubts
from core.doubts.evidence import evidence
from core.records import FailureKind
from core.run import ClientHealth, Preflight, RunState, StoppedBy
from tests.core.example_runs import failed, plan, run, steady


def told(doubts, requests=(), of=None, **rest):
    """What these doubts say of a run."""
    return list(doubts(evidence(run(requests, of=of, **rest))))


def test_failures_above_1_percent_are_told_with_the_servers_words():
    made = [*steady(98), failed(98, message="no capacity"), failed(99, message="no capacity")]

    (found,) = told(failure_doubts, made)

    assert (found.kind, found.level) == ("failures", "act")
    assert "2 of 100 requests" in found.what
    assert "(2 %)" in found.what
    assert "http_5xx, 2 times: “no capacity”" in found.what


@pytest.mark.parametrize("kind", [FailureKind.HTTP_404, FailureKind.HTTP_5XX])
def test_a_missing_model_is_told_with_those_that_the_server_has(kind):
    made = [*steady(2), failed(2, kind=kind, message="no such model")]
    (found,) = told(failure_doubts, made, environment={"server": {"models": "qwen, llama"}})
    (unasked,) = told(failure_doubts, made)

    assert ("The server has: qwen, llama." in found.what) is (kind is FailureKind.HTTP_404)
    assert "The server has" not in unasked.what


def test_failures_of_1_percent_are_not():
    assert told(failure_doubts, [*steady(99), failed(99)]) == []


def test_empty_answers_count_and_cancelled_ones_do_not():
    assert told(failure_doubts, [*steady(9), failed(9, kind=FailureKind.EMPTY)])[0].kind == "failures"
    assert told(failure_doubts, [*steady(9), failed(9, kind=FailureKind.CANCELLED)]) == []


def test_more_failures_than_answers_are_red():
    assert told(failure_doubts, [*steady(4), *(failed(i) for i in range(5))])[0].level == "stop"


def test_nothing_but_failures_is_told_as_no_success():
    (found,) = told(failure_doubts, [failed(0), failed(1)])

    assert (found.kind, found.level) == ("no_success", "stop")
    assert "2 of 2 requests" in found.what
    assert "100 %" in found.what


def test_a_server_that_quotes_a_key_in_its_error_is_not_quoted_with_it():
    assert "abcdefgh12345" not in told(failure_doubts, [failed(0, message="bad key sk-abcdefgh12345")])[0].what


@pytest.mark.parametrize(
    ("state", "kind", "level"),
    [
        (RunState.CANCELLED, "cancelled", "note"),
        (RunState.INTERRUPTED, "interrupted", "act"),
        (RunState.FAILED, "run_failed", "stop"),
    ],
)
def test_a_run_that_did_not_come_to_its_end_is_told(state, kind, level):
    (found,) = told(state_doubts, steady(7), state=state, message="The endpoint refused.")

    assert (found.kind, found.level) == (kind, level)
    assert ("refused" if state is RunState.FAILED else "7 successful requests") in found.why


def test_a_run_that_failed_before_its_start_says_why():
    (found,) = told(state_doubts, state=RunState.FAILED, preflight=Preflight(failure_message="No such model."))

    assert found.why == "No such model."


@pytest.mark.parametrize(
    ("stopped_by", "level"), [(StoppedBy.ERRORS, "stop"), (StoppedBy.TOKENS, "note"), (StoppedBy.SPEND, "note")]
)
def test_a_run_that_stopped_itself_is_told(stopped_by, level):
    (found,) = told(state_doubts, steady(7), stopped_by=stopped_by)

    assert (found.kind, found.level) == ("stopped_early", level)


@pytest.mark.parametrize("stopped_by", [StoppedBy.REQUESTS, StoppedBy.DURATION, None])
def test_a_run_that_ended_as_planned_is_not(stopped_by):
    assert told(state_doubts, steady(7), stopped_by=stopped_by) == []


LEFT_OUT = "stream_options was left out: the endpoint does not accept it."


def test_what_was_changed_before_the_run_is_counted_and_told_in_its_own_sentences():
    (one,) = told(preflight_doubts, preflight=Preflight(changes=(LEFT_OUT,)))
    (two,) = told(preflight_doubts, preflight=Preflight(changes=(LEFT_OUT, "drop ignore_eos")))

    assert (one.kind, one.level) == ("parameters_changed", "note")
    assert one.what == "One parameter of the request was changed before the run."
    assert one.why == f"{LEFT_OUT} Every measured request was sent so."
    assert two.what == "2 parameters of the request were changed before the run."
    assert two.why == f"{LEFT_OUT} drop ignore_eos. Every measured request was sent so."
    assert told(preflight_doubts, preflight=Preflight()) == []
    assert told(preflight_doubts) == []


def test_a_server_that_goes_on_after_its_client_left_is_told():
    assert told(preflight_doubts, preflight=Preflight(stops_on_disconnect=False))[0].kind == "goes_on_generating"
    assert told(preflight_doubts, preflight=Preflight(stops_on_disconnect=True)) == []


def test_simulated_numbers_are_named_so():
    assert [found.kind for found in told(simulated_doubts, of=plan(demo="simulated"))] == ["simulated"]
    assert told(simulated_doubts, of=plan(demo="llama.cpp")) == []


def simulator_that_was(late_s):
    return told(simulated_doubts, steady(5), plan(demo="simulated"), environment={"server": {"late_p99_s": late_s}})


def test_a_simulator_that_was_itself_late_is_told():
    _, found = simulator_that_was(0.012)

    assert (found.kind, found.level) == ("simulator_late", "act")
    assert found.what == "The simulator itself was 12 ms late (p99 of its tokens)."
    assert found.why == "This run tells about the machine, not about the client."


def test_a_simulator_that_kept_its_pace_is_not():
    assert [found.kind for found in simulator_that_was(0.004)] == ["simulated"]  # TTFT is 100 ms, the limit 5 %
    assert [found.kind for found in simulator_that_was(None)] == ["simulated"]


def test_a_busy_machine_that_also_serves_is_told():
    here = plan()
    endpoint = replace(here.configuration.endpoint, base_url="http://10.0.0.4:8000")
    elsewhere = replace(here, configuration=replace(here.configuration, endpoint=endpoint))

    (found,) = told(busy_doubts, of=here, client=ClientHealth(machine_busy_share=0.97))
    assert (found.kind, found.level) == ("machine_busy", "act")
    assert "97 %" in found.what

    assert told(busy_doubts, of=here, client=ClientHealth(machine_busy_share=0.9)) == []
    assert told(busy_doubts, of=here, client=ClientHealth()) == []
    assert told(busy_doubts, of=elsewhere, client=ClientHealth(machine_busy_share=0.97)) == []
