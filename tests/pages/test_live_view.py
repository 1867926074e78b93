"""A launch as any session sees it: real runs against the simulator and against an address where nobody listens."""

import dataclasses
import time
import uuid

import pytest
from streamlit.testing.v1 import AppTest

from core.estimate import interleaved
from core.fleet.live import LiveExperiment, LiveRun
from core.plan import Configuration, Endpoint, Experiment, Load, RunPlan, Slo, Workload
from core.run import ENDED_STATES, RunState, StoppedBy
from core.search import Search
from core.servers import builtin
from pages.parts import configuration_form, live_levels, live_names, live_page
from tests.pages.seen import HOSTILE, button, field, metric, table, titles, words

PATIENCE_S = 120  # a loaded machine
SIMULATED = builtin.simulated_configuration(0)
NOBODY = Configuration(
    id="n", label=HOSTILE, endpoint=Endpoint(name="nobody", base_url="http://127.0.0.1:1/v1"), model="m", slot=1
)


def launched(services, *configurations, requests=4, name="sweep"):
    plans = interleaved(configurations, Workload(output_tokens=8), [Load(requests=requests, warmup_requests=0)])
    return services.registry.launch(Experiment(id=uuid.uuid4().hex[:8], name=name, plans=plans))


def wait_for(services, experiment_id, reached):
    until = time.monotonic() + PATIENCE_S
    while not reached(found := services.registry.find(experiment_id)):
        assert time.monotonic() < until, found
        time.sleep(0.05)
    return found


def ended(found):
    return found.state in ENDED_STATES


def test_a_launch_is_watched_cancelled_and_stays_to_be_seen(services, opened):
    first = launched(services, SIMULATED, requests=2000)
    second = launched(services, SIMULATED, name="next")
    wait_for(services, first, lambda found: any(run.ended for run in found.runs))

    page = opened("benchmark", view="live", experiment=first)

    assert page.title[0].value.startswith("sweep")
    assert "running" in page.title[0].value
    assert metric(page, "In flight").value.endswith("/ 1")
    assert "No request has failed" in words(page)
    assert "**next" in words(page)
    assert "(simulated)" in page.title[0].value.replace("\\", "")
    assert metric(opened("benchmark", alone=False, view="live"), "Runs").value == "0 / 1"
    assert button(page, "Plan another")

    button(page, "Cancel").click()
    page.run()
    services.registry.cancel(second)
    found = wait_for(services, first, ended)
    assert found.state is RunState.CANCELLED
    page.run()
    assert "cancelled" in page.title[0].value
    assert "Cancelled after 0 of 1 run" in words(page)
    assert "No request has failed" not in words(page)
    assert button(page, "Open run")


def test_a_launch_in_line_says_what_it_waits_for_and_shows_no_dead_numbers(services, opened):
    first = launched(services, SIMULATED, requests=2000)
    second = launched(services, SIMULATED, name="next")
    wait_for(services, first, lambda found: any(run.ended for run in found.runs))

    page = opened("benchmark", view="live", experiment=second)

    assert "Next in line: it begins when **sweep" in words(page)
    assert "this one" in words(page)
    assert not page.metric
    button(page, "Cancel").click()
    page.run()
    services.registry.cancel(first)
    assert "cancelled" in page.title[0].value
    assert "Cancelled before anything was measured" in words(page)
    assert not page.metric
    wait_for(services, first, ended)


def test_a_finished_launch_says_what_was_measured_and_leads_on(services, opened):
    other = builtin.simulated_configuration(1, "gt-ttft20000-itl1000")
    experiment = launched(services, SIMULATED, other)
    wait_for(services, experiment, ended)

    page = opened("benchmark", view="live", experiment=experiment)

    assert "2 runs measured, 8 requests, each of them answered" in words(page).replace("\\", "")
    assert [(card.label, card.value) for card in page.metric if card.label in ("Runs", "Answered")] == [
        ("Runs", "2 / 2"),
        ("Answered", "8"),
    ]
    assert not any("now" in card.label for card in page.metric)
    assert table(page).count(":material/check:") == 2
    assert button(page, "Compare")
    assert "**Verdict**" in words(page)
    assert table(page).count("(simulated)") == 2
    assert "Nothing out of the ordinary" not in words(page)
    assert "The percentiles stand on 4 requests" in words(page).replace("\\", "")
    assert all("/glossary#" in metric(page, name).help for name in ("Answered", "Client lag p99"))


@pytest.mark.parametrize("configurations", [1, 2])
def test_under_the_headline_of_an_end_stands_once_what_a_tutorial_script_prints(services, opened, configurations):
    chosen = [SIMULATED, builtin.simulated_configuration(1, "gt-ttft20000-itl1000")][:configurations]
    experiment = launched(services, *chosen)
    wait_for(services, experiment, ended)

    page = opened("benchmark", view="live", experiment=experiment)

    lines = [found for found in page.markdown if "tutorial script would print" in found.value]
    assert len(lines) == 1
    assert "/glossary#" in lines[0].help


def test_a_plan_is_taken_up_again_after_its_launch(services, opened):
    services.library.save_configuration(SIMULATED)
    experiment = launched(services, SIMULATED, requests=3)
    wait_for(services, experiment, ended)
    page = opened("benchmark", view="live", experiment=experiment)

    button(page, "Plan again").click()
    page.run()

    assert page.title[0].value == "Benchmark"
    assert field(page, "requests") == 3
    assert page.session_state[configuration_form.CHOSEN] == [SIMULATED.id]
    assert not button(page, "Launch").disabled


def test_a_run_that_could_not_start_says_why_and_its_name_stays_words(services, opened):
    experiment = launched(services, NOBODY)
    wait_for(services, experiment, ended)

    page = opened("benchmark", view="live", experiment=experiment)

    assert "failed" in page.title[0].value
    assert "**Nothing was measured\\.**" in words(page)
    assert "refused" in words(page)
    assert "0 without an answer" not in words(page)
    assert not page.metric
    assert button(page, "Open run")
    assert "refused" in table(page) + " ".join(found.value.to_string() for found in page.table)
    assert HOSTILE not in words(page)


def test_the_view_shows_what_was_asked_for_else_what_runs_else_the_last():
    def made(name, state):
        run = LiveRun(run_id=name, plan=RunPlan(configuration=SIMULATED), state=state)
        return LiveExperiment(id=name, name=name, state=state, queued_at=None, runs=(run,))

    old, running = made("old", RunState.COMPLETED), made("running", RunState.RUNNING)
    waiting = made("waiting", RunState.QUEUED)

    assert live_page.chosen((old, running, waiting), "old") is old
    assert live_page.chosen((old, running, waiting), None) is running
    assert live_page.chosen((old, waiting), None) is waiting
    assert live_page.chosen((old,), "gone") is None
    assert live_page.chosen((), None) is None


def test_a_launch_says_whether_all_or_some_of_it_is_simulated():
    def name(*configurations):
        runs = tuple(
            LiveRun(run_id="r", plan=RunPlan(configuration=one), state=RunState.QUEUED) for one in configurations
        )
        found = LiveExperiment(id="e", name="sweep", state=RunState.QUEUED, queued_at=None, runs=runs)
        return live_names.title(found).replace("\\", "")

    assert name(NOBODY) == "sweep"
    assert name(SIMULATED) == "sweep (simulated)"
    assert name(NOBODY, SIMULATED) == "sweep (partly simulated)"


def test_a_label_is_cut_before_it_is_marked():
    long = dataclasses.replace(SIMULATED, label="x" * 90)
    run = LiveRun(run_id="r", plan=RunPlan(configuration=long), state=RunState.QUEUED)

    assert live_names.label_of(run, 24).endswith("…xxxxxxxxxxx (simulated)")


@pytest.mark.parametrize(
    ("state", "values", "shown"),
    [
        (RunState.QUEUED, {}, "waiting"),
        (RunState.RUNNING, {}, "starting"),
        (RunState.RUNNING, {"sent": 2, "warming_up": True}, "warming up"),
        (RunState.RUNNING, {"sent": 9, "ended": 5, "requests_planned": 20}, "25 %"),
        (RunState.COMPLETED, {}, "1,571"),
        (RunState.FAILED, {}, "failed"),
        (RunState.CANCELLED, {}, "not started"),
        (RunState.CANCELLED, {"ended": 1}, "cancelled"),
    ],
)
def test_a_cell_of_the_levels_says_how_far_its_run_is(state, values, shown):
    run = LiveRun(run_id="r", plan=RunPlan(configuration=SIMULATED), state=state, **values)

    assert shown in live_levels.cell(run, {"r": 1571.2})


def test_a_level_that_was_left_out_says_why():
    why = "Left out: a lower level saturated the server."
    run = LiveRun(run_id="r", plan=RunPlan(configuration=SIMULATED), state=RunState.CANCELLED, message=why)

    assert why in live_levels.cell(run, {}).replace("\\", "")


def test_an_ended_level_leads_to_its_run_and_says_that_it_saturated():
    run = LiveRun(run_id="r", plan=RunPlan(configuration=SIMULATED), state=RunState.COMPLETED,
                  stopped_by=StoppedBy.SATURATION)  # fmt: skip

    assert "(/run?run=r)" in live_levels.cell(run, {"r": 10.0})
    assert "saturated" in live_levels.cell(run, {"r": 10.0})


def test_an_open_loop_shows_its_rates_and_its_slip(services, opened):
    load = Load(concurrency=None, rate=40.0, requests=None, duration_s=1.0, warmup_requests=0)
    plans = interleaved([SIMULATED], Workload(output_tokens=4), [load])
    experiment = services.registry.launch(Experiment(id="open", name="open", plans=plans))
    wait_for(services, experiment, ended)

    page = opened("benchmark", view="live", experiment=experiment)

    assert metric(page, "Requests, achieved").value.endswith("/s")
    assert metric(page, "Requests, achieved").delta.startswith("offered ")
    assert metric(page, "Slip p99").value.endswith("ms")
    assert "40 requests/s" in table(page)


def test_a_search_says_what_it_found_draws_it_and_links_its_probes(services, opened):
    slo = Slo.read(["ttft_s.p95 < 20", "success_rate > 0.5"])
    plans = interleaved([SIMULATED], Workload(output_tokens=4), [Load(requests=4, warmup_requests=0)], slo=slo)
    search = Search(variable="concurrency", low=1, high=4, slo=slo)
    experiment = services.registry.launch(Experiment(id="search", name="search", plans=plans, search=search))
    found = wait_for(services, experiment, ended)

    page = opened("benchmark", view="live", experiment=experiment)

    assert "Every level up to 4 requests in flight keeps" in words(page).replace("\\", "")
    drawn = titles(page)
    assert all(name in drawn for name in ("The way of the search", "TTFT p95", "Success"))
    assert all(f"/run?run={run.run_id}" in words(page) for run in found.runs)


def unjudged_search():
    """A search whose limit is on a number that the server does not let anyone know."""
    from core.course import Done, searched
    from core.plan import Experiment, Slo
    from core.search import Search
    from core.summary import summarise
    from pages.parts import live_search
    from tests.core.example_runs import plan, run, steady

    search = Search(variable="concurrency", low=1, high=4, slo=Slo.read(["tpot_s.p50 < 5"]))
    wanted = Experiment(id="e", name="e", plans=(plan(),), search=search)
    records = steady(4, tokens=None)
    live_search.show(searched(wanted, [Done(run=run(records), summary=summarise(records))]))


def test_a_search_that_cannot_be_judged_says_why_and_draws_no_way():
    page = AppTest.from_function(unjudged_search, default_timeout=PATIENCE_S).run()

    assert not page.exception
    assert "TPOT is unknown, as the server counts no tokens" in words(page).replace("\\", "")
    assert not titles(page)


def being_cancelled():
    """The head of a launch that was cancelled a moment ago."""
    from core.fleet.live import LiveExperiment, LiveRun
    from core.plan import RunPlan
    from core.run import RunState
    from pages.parts import live_view
    from tests.pages.test_live_view import SIMULATED

    run = LiveRun(run_id="r", plan=RunPlan(configuration=SIMULATED), state=RunState.RUNNING)
    live_view.head(
        LiveExperiment(id="e", name="e", state=RunState.RUNNING, queued_at=None, runs=(run,), cancelling=True)
    )


def nine():
    """As many numbers as an open loop has."""
    from pages.parts.live_numbers import Cell, draw

    draw([Cell(title=f"title {n}", value=str(n), note="note") for n in range(9)], "cards4_live")


def test_no_more_numbers_stand_in_a_row_than_their_titles_have_room_for():
    page = AppTest.from_function(nine, default_timeout=60).run()

    assert [card.value for card in page.metric] == [str(n) for n in range(9)]
    assert len(page.columns) == 10  # two rows of five


@pytest.mark.usefixtures("services")
def test_what_is_being_cancelled_cannot_be_cancelled_again():
    page = AppTest.from_function(being_cancelled, default_timeout=60).run()

    assert not page.exception
    assert button(page, "Cancelling").disabled
