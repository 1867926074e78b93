"""What is asked, as options say it, and the line of a run that says it again."""

import shlex

import pytest

from core import reproduce
from core.command import arguments
from core.plan import PlanError
from core.workload import LengthPair, Spread

TARGET = ["run", "--base-url", "http://127.0.0.1:9/v1", "--model", "m"]


def plan_of(*words: str):
    return arguments.experiment(arguments.parsed([*TARGET, *words])).plans[0]


def test_lengths_may_vary():
    workload = plan_of("--input-tokens", "64..256", "--output-tokens", "normal:100,20").workload

    assert (workload.input_tokens, workload.input_spread) == (160, Spread(shape="uniform", low=64, high=256))
    assert workload.output_spread == Spread(shape="normal", low=20, high=180, stdev=20)


def test_pairs_stand_for_both_lengths():
    workload = plan_of("--lengths", "100:10*3,500:50").workload

    assert workload.pairs == (
        LengthPair(input_tokens=100, output_tokens=10, weight=3), LengthPair(input_tokens=500, output_tokens=50),
    )  # fmt: skip
    assert (workload.input_tokens, workload.output_tokens) == (200, 20)


def test_a_system_prompt_is_a_text_or_a_file(tmp_path):
    (tmp_path / "system.txt").write_text("你好\n", encoding="utf-8")

    assert plan_of("--system-prompt", "Be brief.").workload.system_prompt == "Be brief."
    assert plan_of("--system-prompt", f"@{tmp_path / 'system.txt'}").workload.system_prompt == "你好\n"


@pytest.mark.parametrize(
    "words",
    [
        ["--input-tokens", "0"],
        ["--input-tokens", "many"],
        ["--output-tokens", "5..x"],
        ["--lengths", "7"],
        ["--system-prompt", "@/nowhere/at/all"],
        ["--extra-body", "[1]"],
    ],
)
def test_what_makes_no_sense_is_one_sentence(words):
    with pytest.raises(PlanError):
        plan_of(*words)


@pytest.mark.parametrize(
    "words",
    [
        ["--input-tokens", "64..256", "--output-tokens", "lognormal:100,20,10..500"],
        ["--lengths", "100:10*3,500:50*1", "--language", "mixed"],
        ["--system-prompt", "Say 'no'.", "--stop", "\n\n", "--stop", "END", "--language", "chinese"],
    ],
)
def test_the_line_of_a_run_asks_for_the_same(words):
    plan = plan_of(*words)
    line = reproduce.command_line(plan)

    again = shlex.split(line.replace("\\\n", " "))
    assert arguments.experiment(arguments.parsed(again[2:])).plans[0].workload == plan.workload
