"""What people paste."""

import orjson
import pytest

from core import pasted, plan_checks
from core.plan import Configuration, Endpoint, PlanError, RunPlan, Workload
from core.reproduce import plan_file
from tests.core.experiments import EXPERIMENTS, same

PLAN = RunPlan(
    configuration=Configuration(
        id="a", label="A", model="m", endpoint=Endpoint(name="lab", base_url="http://127.0.0.1:1/v1")
    )
)


def document(*plans):
    return orjson.dumps({"format": "paceline-plan", "version": 1, "plans": list(plans)})


def test_a_plan_file_is_read():
    assert pasted.plans(document(PLAN.to_dict())) == (PLAN,)
    assert pasted.plans(document(PLAN.to_dict()).decode()) == (PLAN,)


@pytest.mark.parametrize("kind", EXPERIMENTS)
def test_a_plan_file_brings_back_every_kind_of_experiment_whole(kind):
    wanted = EXPERIMENTS[kind]

    found = pasted.experiment(plan_file(wanted.plans, wanted), experiment_id="x")

    assert same(found, wanted)
    assert (found.id, found.name) == ("x", "An experiment")


@pytest.mark.parametrize(
    "text",
    [
        "",
        "nonsense",
        "[]",
        "{}",
        '{"plans": []}',
        '{"plans": 3}',
        "null",
        "7",
        '"x"',
        "[" * 100_000,
        "[" * 500 + "]" * 500,
        '{"plans": [1]}',
        "NaN",
        "\ud800",
        b"\xff",
    ],
)
def test_anything_else_is_refused_with_a_sentence(text):
    with pytest.raises(PlanError):
        pasted.plans(text)


@pytest.mark.parametrize(
    "change",
    [
        {"load": {"concurrency": "many"}},
        {"load": {"concurrency": 0}},
        {"load": []},
        {"workload": {"extra_body": 7}},
        {"configuration": {"settings": [["a"]]}},
        {"configuration": {"settings": 5}},
        {"configuration": {"label": None}},
        {"configuration": {"endpoint": {"name": 3, "base_url": 4}}},
    ],
)
def test_a_value_of_the_wrong_kind_names_the_run(change):
    broken = PLAN.to_dict()
    for name, value in change.items():
        broken[name] = {**broken[name], **value} if isinstance(value, dict) else value

    with pytest.raises(PlanError, match="Run 2 of the plan"):
        pasted.plans(document(PLAN.to_dict(), broken))


def test_a_large_paste_is_not_read():
    with pytest.raises(PlanError, match="2 MB"):
        pasted.plans(" " * (pasted.MOST_BYTES + 1))
    with pytest.raises(PlanError, match="2001 runs"):
        pasted.plans(document(*[1] * 2001))


def test_a_plan_that_is_nested_without_end_is_refused():
    deep = PLAN.to_dict()
    for _ in range(70):
        deep = {"workload": deep}

    with pytest.raises(PlanError, match="64 deep"):
        pasted.plans(document(deep))


def test_the_deepest_body_of_a_plan_comes_back():
    body = {}
    for _ in range(plan_checks.MOST_DEPTH - 1):
        body = {"a": body}
    plan = RunPlan(configuration=PLAN.configuration, workload=Workload(extra_body=body))

    assert pasted.plans(document(plan.to_dict())) == (plan,)


def test_the_plan_file_at_a_path_is_read(tmp_path):
    (tmp_path / "plan.json").write_bytes(document(PLAN.to_dict()))

    assert pasted.experiment_of_file(tmp_path / "plan.json").plans == (PLAN,)


@pytest.mark.parametrize("name", ["none.json", "", "a\0b", "plan\ud800"])
def test_a_path_without_a_readable_file_is_a_sentence(tmp_path, name):
    with pytest.raises(PlanError, match="cannot be read"):
        pasted.experiment_of_file(tmp_path / name)


def test_a_file_that_is_no_plan_is_named_and_a_large_one_is_not_read(tmp_path):
    large = tmp_path / "large.json"
    with large.open("wb") as file:
        file.truncate(100_000_000)
    (tmp_path / "other.json").write_text("{}")

    with pytest.raises(PlanError, match=r"large\.json: .* larger than 2 MB"):
        pasted.experiment_of_file(large)
    with pytest.raises(PlanError, match=r"other\.json: This is not a plan file"):
        pasted.experiment_of_file(tmp_path / "other.json")


def test_extra_body_is_an_object():
    assert pasted.extra_body(" ") == {}
    assert pasted.extra_body('{"top_p": 0.9}') == {"top_p": 0.9}
    assert pasted.extra_body(pasted.extra_text({"a": [1]})) == {"a": [1]}
    assert pasted.extra_text({}) == ""
    with pytest.raises(PlanError, match="not a JSON object"):
        pasted.extra_body("[1]")
    with pytest.raises(PlanError, match="Extra body is not JSON"):
        pasted.extra_body("{top_p}")


@pytest.mark.parametrize("path", [("configuration",), ("load",), ("workload",), ("configuration", "endpoint"),
                                  ("configuration", "endpoint", "limits")])  # fmt: skip
def test_a_null_in_place_of_a_part_is_a_sentence(path):
    plan = PLAN.to_dict()
    part = plan
    for name in path[:-1]:
        part = part[name]
    part[path[-1]] = None

    with pytest.raises(PlanError, match="is not a JSON object"):
        pasted.plans(document(plan))
