"""Numbers, times and foreign words as people read them."""

import unicodedata
from datetime import UTC, datetime, timedelta

import pytest

from core.chart_style import plain
from pages.parts import text

NOW = datetime(2026, 11, 28, 17, 38, tzinfo=UTC)
JOINER = "\u2060"


def test_a_difference_carries_its_sign_and_interval():
    assert text.difference(1.27, 1.20, 1.34) == "+27 % [20, 34]"
    assert text.difference(0.75, 0.68, 0.82) == "−25 % [−32, −18]"
    assert text.difference(1.012, 0.995, 1.02) == "+1.2 % [−0.5, 2.0]"
    assert text.difference(2.44, 2.31, 2.5) == "2.4 × [2.3, 2.5]"
    assert text.difference(1.27) == "+27 %"
    assert text.difference(None) == "–"


def test_durations_and_moments():
    assert text.clock(370) == "6:10"
    assert text.clock(3727) == "1:02:07"
    assert text.in_seconds(38.24) == "38.2 s"
    assert text.in_seconds(95.0) == "2 min"
    assert text.when(NOW, UTC) == "28 Nov 17:38"
    assert text.moment(NOW, UTC, NOW + timedelta(hours=3)) == "17:38"
    assert text.moment(NOW, UTC, NOW + timedelta(hours=9)) == "28 Nov 17:38"
    assert text.ago(NOW - timedelta(seconds=5), NOW) == "just now"
    assert text.ago(NOW - timedelta(seconds=125), NOW) == "2 min ago"
    assert text.ago(NOW - timedelta(days=2), NOW) == "2 days ago"


def test_large_counts_are_short():
    assert text.quantity(14_112) == "14,112"
    assert text.quantity(3_612_672) == "3.6 M"
    assert text.plural(1, "run", "runs") == "1 run"
    assert text.plural(1200, "run", "runs") == "1,200 runs"


def test_markdown_in_foreign_text_loses_its_meaning():
    assert text.escape_markdown("[a](b) *c* $d$ <e> `f`") == r"\[a\]\(b\) \*c\* \$d\$ \<e\> \`f\`"


def test_foreign_text_is_one_line():
    assert text.escape_markdown("a\n\n# b") == r"a \# b"


@pytest.mark.parametrize(
    "hostile", [":material/warning:", ":smile:", "http://evil.example", "www.evil.example", "a@b.c"]
)
def test_what_streamlit_reads_after_the_escape_is_broken_by_a_joiner(hostile):
    shown = text.escape_markdown(hostile)

    assert JOINER in shown
    assert shown.replace(JOINER, "").replace("\\", "") == hostile


def test_a_model_name_with_a_colon_keeps_its_letters():
    assert text.escape_markdown("qwen2.5:7b").replace("\\", "") == "qwen2.5:7b"


def test_code_holds_any_backticks():
    assert text.code("a") == "`a`"
    assert text.code("a`b``c") == "```a`b``c```"
    assert text.code("`a`") == "`` `a` ``"


def test_only_the_simulator_is_marked_and_a_long_label_is_cut_before_the_mark():
    assert text.named("Simulated?", "") == "Simulated?"
    assert text.named("A", "llama.cpp") == "A"
    assert text.named("A", "simulated") == "A (simulated)"
    assert text.named("Simulated 50.0 ms, 100 tok/s", "simulated", 20) == "Simulated…100 tok/s (simulated)"


def test_in_a_cell_the_mark_stays_in_sight_and_what_is_measured_keeps_its_whole_name():
    long = "SmolLM2-135M of a very long label"

    assert text.in_cell(long, "") == long
    assert text.in_cell(long, "simulated") == f"(simulated) {long}"


@pytest.mark.parametrize("turning", ["RIGHT-TO-LEFT OVERRIDE", "LEFT-TO-RIGHT ISOLATE", "RIGHT-TO-LEFT EMBEDDING"])
def test_a_name_turns_no_words_and_numbers_behind_it(turning):
    sign = unicodedata.lookup(turning)

    for shown in (text.escape_markdown, text.code, lambda label: text.in_cell(label, ""), plain):
        assert sign not in shown(f"a{sign}b")
        assert "\N{REPLACEMENT CHARACTER}" not in shown("\N{HEBREW LETTER SHIN}\N{HEBREW LETTER LAMED}")
