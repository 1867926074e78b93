"""What people paste."""

import re

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


@pytest.mark.parametrize(
    "text", [b"\xef\xbb\xbf" + document(PLAN.to_dict()), "\ufeff" + document(PLAN.to_dict()).decode()]
)
def test_a_plan_that_an_editor_marked_as_utf_8_is_read(text):
    assert pasted.plans(text) == (PLAN,)


@pytest.mark.parametrize(
    "text", [*(document(PLAN.to_dict()).decode().encode(code) for code in ("utf-16", "utf-16-le", "utf-32")), "\ud800"]
)
def test_a_plan_in_another_encoding_is_told_how_to_be_saved(text):
    with pytest.raises(PlanError, match=r"^The plan is not UTF-8 text: save it as UTF-8\.$"):
        pasted.plans(text)


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


PYTHON_S = re.compile(r"attribute|argument|NoneType|'(int|list|dict|str)'|codec|__|Python|positional|keyword")
STRANGE = (None, True, 5, -1.5, 10**18, "x", "", [], [1], [[1, 2]], [["a"]], [["a", "b", "c"]], {}, {"a": 1}, "é..com")
SLO = {"limits": [{"metric": "ttft_s", "statistic": "p95", "relation": "<", "value": 1}]}


def places(found, path=()):
    """Every member of a plan, however deep."""
    for name, value in found.items() if isinstance(found, dict) else enumerate(found):
        yield (*path, name)
        if isinstance(value, dict | list):
            yield from places(value, (*path, name))


def whole_plan():
    stages = [{"seconds": 1.0, "start": 1.0, "end": 2.0, "shape": "linear"}]
    plan = orjson.loads(orjson.dumps(PLAN.to_dict()))
    plan["load"] |= {"concurrency": None, "rate": 2.0, "stages": stages}
    plan["configuration"] |= {"settings": [["quantization", "Q4"]]}
    search = {"variable": "rate", "low": 1, "high": 64, "slo": SLO}
    told = {"name": "n", "search": search, "sweep": None, "cooldown_s": 0, "skip_saturated": False}
    found = {"format": "paceline-plan", "version": 1, "plans": [plan | {"slo": SLO}], "experiment": told}
    return orjson.loads(orjson.dumps(found))


MEMBERS = [path for path in places(whole_plan()) if path[0] in ("plans", "experiment") and len(path) > 1]


def test_the_whole_plan_is_one():
    assert pasted.experiment(orjson.dumps(whole_plan()), experiment_id="e").search is not None
    assert len(MEMBERS) > 60


def refusal(plan):
    try:
        pasted.experiment(orjson.dumps(plan), experiment_id="e")
    except PlanError as fault:
        return str(fault)
    return ""


@pytest.mark.parametrize("path", MEMBERS, ids=lambda path: ".".join(map(str, path)))
def test_whatever_stands_in_a_place_or_is_missing_there_no_sentence_speaks_python(path):
    for strange in (*STRANGE, ...):
        plan = whole_plan()
        part = plan
        for name in path[:-1]:
            part = part[name]
        if strange is not ...:
            part[path[-1]] = strange
        else:
            del part[path[-1]]
        sentence = refusal(plan)
        assert not PYTHON_S.search(sentence), sentence
        assert sentence == "" or sentence.endswith(".")
        assert "wrong kind" not in sentence  # it names the member instead


@pytest.mark.parametrize(
    ("path", "value", "sentence"),
    [
        (("configuration", "label"), 5, "The configuration: label is 5: give a text."),
        (("configuration", "settings"), [["a"]], "settings has an entry that is no pair of texts"),
        (("configuration", "settings"), 5, "The configuration: settings is 5: give a list."),
        (("configuration", "endpoint", "base_url"), "http://é..com/v1", "Base URL names a host that cannot exist"),
        (("configuration", "endpoint", "key_name"), 5, "The endpoint: key_name is 5: give a text or null."),
        (("configuration", "endpoint", "api"), "grpc", "api is 'grpc': give one of chat, completions."),
    ],
)
def test_a_member_of_the_wrong_kind_is_named(path, value, sentence):
    plan = PLAN.to_dict()
    part = plan
    for name in path[:-1]:
        part = part[name]
    part[path[-1]] = value
    with pytest.raises(PlanError) as refused:
        pasted.plans(document(plan))

    assert sentence in str(refused.value)


def test_a_missing_member_and_an_unknown_word_are_named():
    plan = PLAN.to_dict()
    del plan["configuration"]["label"], plan["configuration"]["model"]
    with pytest.raises(PlanError, match="The configuration has no label, model: export the plan again"):
        pasted.plans(document(plan))

    strange = whole_plan()
    strange["experiment"]["search"]["variable"] = "weird"
    with pytest.raises(PlanError, match="The search: variable is 'weird': give one of concurrency, rate"):
        pasted.experiment(orjson.dumps(strange), experiment_id="e")


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
