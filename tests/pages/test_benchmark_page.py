"""The page that plans a benchmark: fields, what a launch takes, what is refused."""

from dataclasses import replace

import orjson
import pytest
from streamlit.testing.v1 import AppTest

from core import reproduce, trace_shelf
from core.estimate import interleaved
from core.levels import read_stages
from core.plan import Configuration, Endpoint, Experiment, Load, Slo, Sweep, Workload
from core.restraint import Restraint
from core.search import Search
from core.servers import builtin
from core.trace import Rows
from pages.parts import configuration_form, launch_card, plan_fields, plan_loads, plan_state
from tests.pages.probes import probed
from tests.pages.seen import HOSTILE, button, field, metric, words

LAB = Endpoint(name="lab", base_url="http://127.0.0.1:1/v1")
A = Configuration(id="a", label="FP16", endpoint=LAB, model="qwen", slot=0)
B = Configuration(id="b", label="AWQ", endpoint=LAB, model="qwen-awq", slot=1, settings=(("quantization", "AWQ"),))


@pytest.fixture
def library(services):
    services.library.save_endpoint(LAB)
    services.library.save_configuration(A)
    services.library.save_configuration(B)
    return services.library


@pytest.fixture
def launched(services, monkeypatch):
    """What was handed to the registry, which here starts nothing."""
    seen = []

    def launch(_, experiment, **_keys):
        seen.append(experiment)
        return experiment.id

    monkeypatch.setattr(type(services.registry), "launch", launch)
    return seen


def planned(opened, *ids, alone=True, **fields):
    """The page with these configurations ticked and these fields set."""
    page = opened("benchmark", alone=alone)
    page.session_state[configuration_form.CHOSEN] = list(ids)
    page.session_state[configuration_form.VERSION] = 7
    for name, value in fields.items():
        page.session_state[plan_state.key(name)] = value
    page.run()
    assert not page.exception
    return page


@pytest.mark.usefixtures("services")
@pytest.mark.parametrize("alone", [True, False])
def test_without_configurations_it_says_what_one_is_and_offers_the_built_in_model(opened, alone):
    page = opened("benchmark", alone=alone)

    assert "Nothing to compare yet" in words(page)
    assert button(page, "Launch").disabled
    button(page, "Take the built-in model").click()
    page.run()
    assert list(page.dataframe[0].value["Configuration"]) == [f"SmolLM2-135M {name}" for name in builtin.COMPARED]
    assert metric(page, "Runs").value == "9"


@pytest.mark.usefixtures("library")
def test_the_card_tells_what_a_launch_takes(opened):
    page = planned(opened, "a", "b", input=100, output=50, requests=200, warmup=4, levels=[1, 4], repeats=2)

    assert metric(page, "Runs").value == "8"
    assert metric(page, "Requests").value == f"{8 * 204:,}"
    assert metric(page, "Output").value == f"{8 * 204 * 50:,} tok"
    assert "lab was never probed" in words(page)
    assert "This machine is not calibrated" in words(page)
    assert "200 requests give p99 from 2 samples" in words(page)


@pytest.mark.parametrize(("total", "told"), [(2, True), (5000, False)], ids=["the whole list", "a cut list"])
def test_a_model_that_the_endpoint_does_not_list_is_told_and_can_be_launched(library, opened, total, told):
    library.save_probe("lab", probed(models=("qwen", "other"), models_total=total).to_dict())

    page = planned(opened, "a", "b", levels=[1])

    assert ("lab lists qwen, other; not “qwen-awq”." in words(page).replace("\\", "")) == told
    assert not button(page, "Launch").disabled


@pytest.mark.usefixtures("library")
@pytest.mark.parametrize(
    ("fields", "sentence"),
    [
        ({"levels": []}, "choose at least one level"),
        ({"more_levels": "many"}, "Concurrency is 'many'"),
        ({"more_levels": "9000"}, "Concurrency is '9000': write whole numbers from 1 to 8,192"),
        ({"extra": "{"}, "Extra body is not JSON"),
        ({"extra": '{"model": "x"}'}, "which Paceline sets itself"),
    ],
)
def test_a_refused_field_gets_its_sentence_keeps_what_was_typed_and_cannot_be_launched(opened, fields, sentence):
    page = planned(opened, "a", **fields)

    assert sentence in words(page).replace("\\", "")
    assert button(page, "Launch").disabled
    for name, value in fields.items():
        assert field(page, name) == value


@pytest.mark.usefixtures("library")
def test_launch_interleaves_configurations_level_by_level(opened, launched):
    page = planned(opened, "a", "b", requests=10, warmup=1, levels=[1, 4], error_share=50, most_tokens=1000)
    page.text_input(key="benchmark_name").set_value("sweep")
    button(page, "Launch").click()
    page.run()

    (experiment,) = launched
    order = [(plan.load.concurrency, plan.configuration.label) for plan in experiment.plans]
    assert experiment.name == "sweep"
    assert order == [(1, "FP16"), (1, "AWQ"), (4, "FP16"), (4, "AWQ")]
    assert {plan.limits.error_share for plan in experiment.plans} == {0.5}
    assert {plan.limits.max_output_tokens for plan in experiment.plans} == {1000}


@pytest.mark.usefixtures("library")
def test_a_launch_without_a_name_is_named_after_what_it_compares(opened, launched):
    page = planned(opened, "a", "b", levels=[1, 4], end=plan_loads.BY_SECONDS, seconds=30.0)
    button(page, "Launch").click()
    page.run()

    assert launched[0].name == "FP16, AWQ, up to 4 in flight, 30 s"
    assert {(plan.load.requests, plan.load.duration_s) for plan in launched[0].plans} == {(None, 30.0)}


def test_a_suggested_name_is_cut_with_an_ellipsis():
    labels = [f"Simulated 50.0 ms, {n} tok/s, a long label of its own" for n in (100, 750)]
    plans = [
        plan
        for place, label in enumerate(labels)
        for plan in interleaved(
            [Configuration(id=str(place), label=label, endpoint=LAB, model="m")], Workload(), [Load(concurrency=16)]
        )
    ]

    name = launch_card.suggested(Experiment(id="e", name="e", plans=tuple(plans)))

    assert name.endswith("…, up to 16 in flight, 20 requests")
    assert ", ," not in name


@pytest.mark.usefixtures("library")
def test_a_plan_shows_itself_as_command_curl_and_file(opened):
    shown = [block.value for block in planned(opened, "a", levels=[4]).code]

    assert any("cli.py run" in text and "--concurrency 4" in text for text in shown)
    assert any(text.startswith("curl") for text in shown)


def take():
    """A page that only loads a pasted plan."""
    import streamlit as st

    from pages.parts import plan_again, plan_fields, plan_files

    plan_fields.prepare()
    if "note" not in st.session_state:
        st.session_state["note"] = True
        plan_files.take(plan_files.pasted.experiment(st.session_state["pasted"], experiment_id="e"))
    st.write(st.session_state.get(plan_again.NOTE, ""))


def taken(plans, experiment=None):
    page = AppTest.from_function(take, default_timeout=30)
    page.session_state["pasted"] = reproduce.plan_file(plans, experiment)
    page.run()
    assert not page.exception
    return page


def test_a_pasted_plan_fills_the_fields_and_brings_its_configurations(services):
    workload = Workload(input_tokens=512, output_tokens=64, ignore_eos=True, extra_body={"top_p": 0.5})
    plans = interleaved([A, B], workload, [Load(concurrency=c, requests=7) for c in (4, 6)], repeats=2)

    page = taken(plans)

    held = {name: field(page, name) for name in plan_fields.START}
    assert (held["input"], held["output"], held["exact"]) == (512, 64, True)
    assert (held["levels"], held["more_levels"], held["requests"], held["repeats"]) == ([4], "6", 7, 2)
    assert orjson.loads(held["extra"]) == {"top_p": 0.5}
    assert [one.label for one in services.library.configurations()] == ["FP16", "AWQ"]
    assert [one.name for one in services.library.endpoints()] == ["lab"]
    assert page.session_state[configuration_form.CHOSEN] == ["a", "b"]


@pytest.mark.usefixtures("library")
def test_a_plan_that_the_fields_cannot_hold_says_so():
    uneven = (
        *interleaved([A], Workload(), [Load(concurrency=1, requests=5)]),
        *interleaved([A], Workload(), [Load(concurrency=4, requests=50)]),
    )

    assert "those of its first run" in words(taken(uneven))


def test_a_brought_configuration_gets_a_free_label(services, library):
    stranger = Configuration(id="z", label="FP16", endpoint=LAB, model="other")

    taken(interleaved([stranger], Workload(), [Load()]))

    kept = {one.id: one for one in library.configurations()}
    assert kept["z"].label == "FP16 (2)"
    assert kept["z"].slot == 2
    assert services.library.endpoint("lab") == LAB


@pytest.mark.usefixtures("services")
def test_hostile_labels_stay_words(services, opened):
    services.library.save_endpoint(LAB)
    services.library.save_configuration(Configuration(id="h", label=HOSTILE, endpoint=LAB, model=HOSTILE))

    page = planned(opened, "h", levels=[1])

    assert HOSTILE not in words(page)


@pytest.mark.usefixtures("services")
@pytest.mark.parametrize("alone", [True, False])
def test_the_live_view_without_a_launch_says_so(opened, alone):
    assert "Nothing is running" in words(opened("benchmark", alone=alone, view="live"))
    assert "This launch is not running" in words(opened("benchmark", alone=alone, view="live", experiment="gone"))


def wanted(page, launched):
    button(page, "Launch").click()
    page.run()
    assert not page.exception
    return launched[-1]


@pytest.mark.usefixtures("library")
def test_an_open_loop_is_launched_with_its_rates_arrivals_and_slo(opened, launched):
    fields = {"kind": plan_loads.OPEN, "rates": "2, 1..4:x4", "arrivals": "bursty", "burstiness": 0.25}
    limits = {"slo0_metric": "ttft_s", "slo0_ttft_s": 250.0, "slo1_metric": "success_rate", "slo1_success_rate": 99.0}
    page = planned(
        opened, "a", max_in_flight=8, end="seconds", seconds=20.0, repeats=2, cooldown=3.0, **fields, **limits
    )

    experiment = wanted(page, launched)

    load = Load(concurrency=None, rate=1.0, burstiness=0.25, max_in_flight=8, requests=None, duration_s=20.0,
                warmup_requests=4)  # fmt: skip
    assert experiment.plans[0].load == load
    assert [plan.load.rate for plan in experiment.plans] == [1, 1, 2, 2, 4, 4]
    assert experiment.plans[0].slo == Slo.read(["ttft_s.p95 < 0.25", "success_rate > 0.99"])
    assert (experiment.cooldown_s, experiment.name) == (3.0, "FP16, up to 4 requests/s, 20 s")


@pytest.mark.usefixtures("library")
def test_stages_are_one_load_that_lasts_as_long_as_they_do(opened, launched):
    page = planned(opened, "a", "b", kind=plan_loads.STAGES, stages="5s@1, 10s@1..4", arrivals="constant")
    assert len(page.get("plotly_chart")) == 1

    experiment = wanted(page, launched)

    assert [plan.load.duration_s for plan in experiment.plans] == [15, 15]
    assert experiment.plans[0].load.stages == read_stages("5s@1,10s@1..4")
    assert experiment.plans[0].load.constant


@pytest.mark.usefixtures("library")
def test_a_search_begins_with_a_limit_and_says_up_to(opened, launched):
    page = planned(opened, "a", "b")
    page.get("button_group")[0].set_value(plan_loads.SEARCH)
    page.run()
    assert not page.exception
    assert field(page, "slo0_metric") == "ttft_s"
    assert int(metric(page, "Runs, up to").value) > 20
    assert metric(page, "Time, up to").value.endswith("min")
    assert "Repeats" not in [field.label for field in page.number_input]
    assert any("--concurrency 1..256" in block.value and "--slo" in block.value for block in page.code)

    experiment = wanted(page, launched)

    assert experiment.search == Search(variable="concurrency", low=1, high=256, slo=Slo.read(["ttft_s.p95 < 0.5"]))
    assert len(experiment.plans) == 2
    assert experiment.name == "FP16, AWQ, search up to 256 in flight"


@pytest.mark.usefixtures("library")
def test_a_search_is_saved_under_a_name_and_loaded_again_whole(opened, services):
    limits = {"slo0_metric": "tpot_s", "slo0_tpot_s": 35.0}
    page = planned(opened, "a", "b", kind=plan_loads.SEARCH, high_concurrency=32, cooldown=2.0, **limits)
    page.text_input(key="benchmark_save_name").set_value("how much").run()
    button(page, "Save").click()
    page.run()
    assert not page.exception

    (saved,) = services.library.plans()
    assert saved.experiment.search == Search(
        variable="concurrency", low=1, high=32, slo=Slo.read(["tpot_s.p95 < 0.035"])
    )
    other = opened("benchmark")
    other.menu_button[0].click(0).run()
    found = {name: field(other, name) for name in ("kind", "high_concurrency", "cooldown")}
    assert found == {"kind": plan_loads.SEARCH, "high_concurrency": 32, "cooldown": 2.0}
    assert "differ in more" not in words(other)


@pytest.mark.usefixtures("library")
def test_levels_can_be_found_on_the_way(opened, launched):
    page = planned(opened, "a", kind=plan_loads.SWEEP, sweep_high=32, sweep_between=3)

    assert wanted(page, launched).sweep == Sweep(high=32, between=3)


@pytest.mark.usefixtures("library")
@pytest.mark.parametrize(
    ("fields", "sentence"),
    [
        ({"kind": "open", "rates": "-1"}, "Rate is '-1'"),
        ({"kind": "open", "rates": ""}, "write at least one rate"),
        ({"kind": "stages", "stages": "30s"}, "Stages are '30s'"),
        ({"kind": "search"}, "choose at least one"),
        (
            {"kind": "search", "slo0_metric": "tpot_s", "low_concurrency": 9, "high_concurrency": 4},
            "begin below its end",
        ),
        ({"slo0_metric": "e2e_s", "slo0_e2e_s": 0.0}, "SLO limit is 0"),
        ({"slo0_metric": "e2e_s", "slo1_metric": "e2e_s"}, "limits the same number twice"),
        ({"more_levels": "1..64"}, "range without a step"),
    ],
)
def test_bad_input_is_told_where_it_was_typed_and_in_the_card_and_stays(opened, fields, sentence):
    page = planned(opened, "a", **fields)

    assert words(page).replace("\\", "").count(sentence) == 2
    assert button(page, "Launch").disabled
    for name, value in fields.items():
        assert field(page, name) == value


OPEN_LOADS = [Load(concurrency=None, rate=r, requests=9, burstiness=0.3, max_in_flight=4) for r in (0.5, 2.25)]
EVEN = replace(OPEN_LOADS[0], constant=True, burstiness=1.0)
STAGED = Load(concurrency=None, rate=5.0, stages=read_stages("9s@1..5:exponential"), requests=None, duration_s=9.0)
ROWS = Rows.of([(0.0, 10, 5), (2.0, 30, 15), (8.0, 20, 10)])
TRACE = ROWS.trace("chat.csv")
HELD = Restraint(requests_per_minute=60, tokens_per_minute=9000, as_told=True, wait_as_asked=True)
REPLAYED = Load(concurrency=None, rate=TRACE.rate, trace=TRACE, requests=3, restraint=HELD)
TO_KEEP = Slo.read(["ttft_s.p99 <= 0.75", "tpot_s.mean < 0.035", "success_rate > 0.995", "decode_tps.p50 >= 12.5"])
LOADED = [
    Experiment(id="e", name="e", plans=interleaved([A, B], Workload(seed=7), OPEN_LOADS, repeats=3, slo=TO_KEEP),
               cooldown_s=2.5, skip_saturated=True),
    Experiment(id="e", name="e", plans=interleaved([A], Workload(), [STAGED])),
    Experiment(id="e", name="e", plans=interleaved([A, B], Workload(), [REPLAYED, replace(
        REPLAYED, trace=(fast := replace(TRACE, speed=2.5)), rate=fast.rate)], repeats=2)),
    Experiment(id="e", name="e", plans=interleaved([A], Workload(), [replace(REPLAYED, requests=2)])),
    Experiment(id="e", name="e", plans=interleaved([A], Workload(), [replace(
        REPLAYED, requests=None, duration_s=7.0, max_in_flight=3)])),
    Experiment(id="e", name="e", plans=interleaved([A], Workload(), [Load(warmup_requests=3)]),
               sweep=Sweep(high=128, between=5), cooldown_s=1.0),
    Experiment(id="e", name="e", plans=interleaved([A, B], Workload(), [Load()], slo=TO_KEEP),
               search=Search(variable="concurrency", low=1, high=4096, slo=TO_KEEP)),
    Experiment(id="e", name="e", plans=interleaved([A], Workload(), [EVEN], slo=TO_KEEP),
               search=Search(variable="rate", low=0.5, high=40.0, slo=TO_KEEP)),
]  # fmt: skip


@pytest.mark.usefixtures("library")
def test_a_plan_whose_trace_is_not_here_says_so(tmp_path, monkeypatch):
    monkeypatch.setenv("PACELINE_CACHE", str(tmp_path))
    page = taken(LOADED[2].plans, LOADED[2])

    assert "The rows of the trace chat.csv are not on this machine" in words(page).replace("\\", "")


@pytest.mark.usefixtures("library")
@pytest.mark.parametrize(
    "experiment",
    LOADED,
    ids=["open", "stages", "trace", "trace cut", "trace by time", "sweep", "search", "search of a rate"],
)
def test_a_plan_file_brings_back_every_kind_of_load_whole(experiment, tmp_path, monkeypatch):
    monkeypatch.setenv("PACELINE_CACHE", str(tmp_path))
    trace_shelf.keep(ROWS)
    page = taken(experiment.plans, experiment)

    assert "differ in more" not in words(page)
    again = AppTest.from_function(read_back, default_timeout=30)
    for name in plan_fields.START:
        again.session_state[plan_state.key(name)] = field(page, name)
    again.session_state["configurations"] = list(
        {one.configuration.id: one.configuration for one in experiment.plans}.values()
    )
    found = again.run().session_state["found"]
    told = ("plans", "search", "sweep", "cooldown_s", "skip_saturated")
    assert [getattr(found, name) for name in told] == [getattr(experiment, name) for name in told]


def read_back():
    """A page that reads the fields."""
    import streamlit as st

    from pages.parts import plan_fields

    st.session_state["found"] = plan_fields.asked().experiment(st.session_state["configurations"])


@pytest.mark.usefixtures("library")
@pytest.mark.parametrize(
    "experiment",
    [
        Experiment(id="e", name="e", plans=interleaved([A], Workload(), [Load()], slo=Slo.read(
            [f"ttft_s.{name} < 1" for name in ("p50", "p90", "p95", "p99", "max")]))),
        Experiment(id="e", name="e", plans=interleaved([A], Workload(), [Load(requests=5), OPEN_LOADS[0]])),
    ],
    ids=["five limits", "two kinds of load"],
)  # fmt: skip
def test_what_the_fields_cannot_hold_of_a_plan_is_told(experiment):
    assert "those of its first run" in words(taken(experiment.plans, experiment))
