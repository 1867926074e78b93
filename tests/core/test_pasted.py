"""What people paste."""

import orjson
import pytest

from core import pasted
from core.plan import Configuration, Endpoint, PlanError, RunPlan

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


@pytest.mark.parametrize(
    "text",
    ["", "nonsense", "[]", "{}", '{"plans": []}', '{"plans": 3}', "null", "[" * 100_000, '{"plans": [1]}', "NaN"],
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


def test_extra_body_is_an_object():
    assert pasted.extra_body(" ") == {}
    assert pasted.extra_body('{"top_p": 0.9}') == {"top_p": 0.9}
    assert pasted.extra_body(pasted.extra_text({"a": [1]})) == {"a": [1]}
    assert pasted.extra_text({}) == ""
    with pytest.raises(PlanError, match="not a JSON object"):
        pasted.extra_body("[1]")
    with pytest.raises(PlanError, match="Extra body is not JSON"):
        pasted.extra_body("{top_p}")
