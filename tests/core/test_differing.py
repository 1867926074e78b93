"""What is known of each configuration, as words."""

from datetime import UTC, datetime

from core import differing
from core.lineup import Entry, lineup
from core.load import Stage
from core.plan import Configuration, Endpoint, Load, RunPlan, Workload
from core.run import Run, RunState
from core.summary import Summary


def entry(name, *, server=None, ignore_eos=False, load=None):
    endpoint = Endpoint(name="e", base_url="http://127.0.0.1:1/v1")
    run = Run(
        id=name,
        name=name,
        started_at=datetime(2026, 11, 23, tzinfo=UTC),
        state=RunState.COMPLETED,
        plan=RunPlan(
            configuration=Configuration(id=name, label=name, endpoint=endpoint, model="m"),
            workload=Workload(ignore_eos=ignore_eos),
            load=load or Load(concurrency=1, requests=1000),
        ),
        environment={"server": server} if server else {},
    )
    return Entry(run=run, summary=Summary(), values=lambda _: (), grid=lambda _: (), output=lambda: None)


def told(*entries):
    found = differing.settings(lineup(entries, date=str))
    return {setting.name: setting for setting in found}


def test_what_only_one_server_told_sets_apart():
    found = told(entry("a", server={"engine": "vLLM", "n_ctx": 4096}), entry("b", server={"engine": "vLLM"}))

    assert found["server context, tokens"].told == ("4,096", "")
    assert found["server context, tokens"].differs
    assert not found["server engine"].differs


def test_values_are_words():
    found = told(entry("a", server=None, ignore_eos=True), entry("b", server=None))

    assert found["ignore eos"].told == ("yes", "no")
    assert found["requests a level"].told == ("1,000", "1,000")


def test_how_requests_of_an_open_loop_arrive_is_told():
    stages = (Stage(seconds=30, start=1, end=5), Stage(seconds=10, start=5, end=5))
    found = told(
        entry("a", load=Load(concurrency=None, rate=5.0, max_in_flight=64)),
        entry("b", load=Load(concurrency=None, rate=5.0, constant=True)),
        entry("c", load=Load(concurrency=None, rate=5.0, burstiness=0.25, stages=stages)),
    )

    assert found["arrivals"].told == ("at random (Poisson)", "evenly spaced", "burstiness 0.25")
    assert found["most in flight"].told == ("64", "no cap", "no cap")
    assert found["stages"].told == ("", "", "30 s at 1..5 linear, 10 s at 5")
    assert all(found[name].differs for name in ("arrivals", "most in flight", "stages"))


def test_a_closed_loop_has_no_arrivals():
    found = told(entry("a"), entry("b"))

    assert not {"arrivals", "most in flight", "stages"} & set(found)


def test_what_a_server_tells_of_its_model_has_readable_names_and_units():
    facts = differing.server_facts({"ftype": "Q4_0", "size": 75_785_472, "n_params": 134_515_008, "own_key": True})
    late = differing.server_facts({"late_p99_s": 0.0123})

    assert facts == {
        "quantization": "Q4_0",
        "size of weights": "75.8 MB",
        "parameters": "135 M",
        "own key": "yes",
    }
    assert late == {"late, p99": "12.3 ms"}
