"""How configurations stand against the baseline: which numbers, which words."""

from dataclasses import replace

import pytest

from core.comparison import Verdict
from core.findings import Finding
from core.run import ClientHealth
from core.standing import doubts, latency_difference, rows
from core.summary import distribution
from tests.core.compared import entry, laid_out, spaced


def row(line, metric, statistic="p50"):
    return next(found for found in rows(line, 4, [statistic]) if found.metric == metric)


def test_a_single_run_that_is_slower_differs_to_the_bad_and_gets_no_verdict():
    (against,) = row(laid_out(entry("1", "A", 0.1), entry("2", "B", 0.2)), "ttft_s").against

    assert against.difference.ratio == pytest.approx(2)
    assert against.word == "these two runs differ"
    assert against.standing == "bad"
    assert against.verdict is None


def test_two_alike_show_no_difference():
    (against,) = row(laid_out(entry("1", "A", 0.1), entry("2", "B", 0.1)), "ttft_s").against

    assert against.word == "no difference seen"
    assert against.standing == "neutral"


def test_repeats_of_both_get_a_verdict():
    line = laid_out(
        *[
            entry(f"{label}{k}", label, ttft + k / 1000, repeat=k)
            for label, ttft in (("A", 0.1), ("B", 0.2))
            for k in range(3)
        ]
    )

    (against,) = row(line, "ttft_s").against

    assert against.verdict is Verdict.WORSE
    assert against.word == "worse"
    assert against.difference.pairs == 3
    assert {one.against[0].difference.pairs for one in rows(line, 4, ["p50", "p95"])} == {3}


def test_two_repeats_of_both_are_not_enough_for_a_verdict():
    line = laid_out(
        *[entry(f"{name}{k}", name, ttft, repeat=k) for name, ttft in (("A", 0.1), ("B", 0.2)) for k in (0, 1)]
    )

    assert {one.against[0].verdict for one in rows(line, 4, ["p50"])} == {Verdict.NOT_ENOUGH_DATA}
    assert {one.against[0].standing for one in rows(line, 4, ["p50"])} == {"neutral"}


def test_repeats_that_took_no_turns_are_told_by_what_each_shows_within():
    line = laid_out(*[entry(f"{name}{k}", name, ttft) for name, ttft in (("A", 0.1), ("B", 0.2)) for k in range(3)])

    (against,) = row(line, "ttft_s").against

    assert (against.verdict, against.word, against.difference.pairs) == (None, "these runs differ", 0)


def test_repeats_do_not_make_a_percentile_of_too_few_values_certain():
    def judged(count):
        line = laid_out(
            *[
                entry(f"{name}{k}", name, ttft + k / 1000, count=count, repeat=k)
                for name, ttft in (("A", 0.1), ("B", 0.2))
                for k in range(3)
            ]
        )
        return row(line, "ttft_s", "p95").against[0]

    few, enough = judged(9), judged(10)

    assert (few.weak, few.verdict, few.standing) == (True, Verdict.NOT_ENOUGH_DATA, "neutral")
    assert few.difference.ratio == pytest.approx(2, rel=0.05)
    assert (enough.weak, enough.verdict, enough.standing) == (False, Verdict.WORSE, "bad")


def test_repeats_of_one_side_only_are_no_verdict():
    line = laid_out(entry("1", "A", 0.1), entry("2", "A", 0.101), entry("3", "B", 0.2))

    assert row(line, "ttft_s").against[0].verdict is None


@pytest.mark.parametrize(
    ("tps", "error", "word", "standing"),
    [
        (150.0, 0.02, "these two runs differ", "good"),
        (60.0, 0.02, "these two runs differ", "bad"),
        (113.0, 0.08, "no difference seen", "neutral"),
        (113.0, None, "not enough data", "neutral"),
    ],
)
def test_the_throughput_of_single_runs_is_judged_by_its_interval(tps, error, word, standing):
    line = laid_out(entry("1", "A", 0.1), entry("2", "B", 0.1, tps=tps, error=error))

    (against,) = row(line, "output_tokens_per_s").against

    assert against.difference.ratio == pytest.approx(tps / 100)
    assert (against.difference.within is None) == (error is None)
    assert (against.word, against.standing, against.verdict) == (word, standing, None)


def test_the_same_luck_of_whole_rounds_is_no_difference():
    # Sixteen at once, five rounds: what looks like eighty witnesses is five.
    lucky, unlucky = (
        [0.1 * luck for luck in of for _ in range(16)] for of in ((1, 1.3, 1, 1, 1), (1.3, 1, 1.3, 1.3, 1.3))
    )

    def compared(level):
        cells = []
        for label, values in (("A", lucky), ("B", unlucky)):
            found = entry(label, label, 0.1, level=level, count=80)
            cells.append(replace(found, values=lambda _, values=values: values))
        base, other = (contender.cells[level] for contender in laid_out(*cells).contenders)
        return latency_difference(base, other, "ttft_s", "p50")

    assert compared(16).low <= 1 <= compared(16).high
    assert compared(1).low > 1


def test_in_open_loop_rounds_are_as_wide_as_there_were_requests_on_their_way():
    def compared(in_flight):
        made = [
            entry(label, label, ttft, rate=2.5, count=80, in_flight=in_flight)
            for label, ttft in (("A", 0.1), ("B", 0.2))
        ]
        return latency_difference(*(contender.cells[2.5] for contender in laid_out(*made).contenders), "ttft_s", "p50")

    assert compared(16).within is not None
    assert compared(17).within is None
    assert compared(0.5).within is not None


def test_rates_are_compared_from_the_schedule_too():
    def scheduled(label, middle):
        found = entry(label, label, 0.1, rate=2.5)
        raw = {"scheduled_ttft_s": spaced(middle)}
        spreads = found.summary.distributions | {key: distribution(values) for key, values in raw.items()}
        values = {metric: raw.get(metric) or found.values(metric) for metric in ("ttft_s", "tpot_s", "e2e_s", *raw)}
        summary = replace(found.summary, distributions=spreads)
        return replace(found, summary=summary, values=lambda metric: values.get(metric, []))

    line = laid_out(scheduled("A", 0.1), scheduled("B", 0.3))
    found = {one.metric: one.against[0].difference.ratio for one in rows(line, 2.5, ["p50"])}
    assert list(found) == ["ttft_s", "tpot_s", "e2e_s", "scheduled_ttft_s", "output_tokens_per_s"]
    assert (found["ttft_s"], found["scheduled_ttft_s"]) == (pytest.approx(1), pytest.approx(3))


def test_failures_are_told_at_the_level_in_its_own_words():
    line = laid_out(entry("1", "A", 0.1, rate=2.5, failed=30), entry("2", "B", 0.1, rate=2.5))

    (found,) = [one for one in doubts(line, 2.5) if one.kind == "failures"]
    assert found.what == "Requests without a usable answer at 2.5 requests/s: A 33.3 %."


def test_runs_of_the_other_kind_of_load_are_told_although_they_stand_aside():
    line = laid_out(entry("1", "A", 0.1, level=4), entry("2", "B", 0.1, rate=4.0))

    assert [found.kind for found in doubts(line, 4) if found.level == "act"] == ["different_load"]


def test_under_load_five_rounds_are_the_least():
    def compared(count):
        line = laid_out(entry("1", "A", 0.1, level=16, count=count), entry("2", "B", 0.2, level=16, count=count))
        return latency_difference(*(c.cells[16] for c in line.contenders), "ttft_s", "p50")

    assert compared(79).within is None
    assert compared(80).low > 1


def test_more_throughput_is_to_the_good():
    line = laid_out(
        *[entry(f"{label}{k}", label, 0.1, tps=tps + k) for label, tps in (("A", 100), ("B", 200)) for k in range(3)]
    )

    assert row(line, "output_tokens_per_s").against[0].standing == "good"


def test_a_load_without_the_baseline_has_no_rows():
    assert rows(laid_out(entry("1", "A", 0.1), entry("2", "B", 0.1, level=8)), 8, ["p50"]) == []


def test_titles_name_metric_and_statistic():
    line = laid_out(entry("1", "A", 0.1), entry("2", "B", 0.1))

    assert [found.title for found in rows(line, 4, ["p95"])] == [
        "TTFT p95",
        "TPOT p95",
        "E2E latency p95",
        "Output throughput",
    ]


def test_failures_at_this_load_are_told_once_for_all():
    line = laid_out(entry("1", "A", 0.1, failed=5), entry("2", "B", 0.1, failed=9))

    found = [doubt for doubt in doubts(line, 4) if doubt.kind == "failures"]

    assert len(found) == 1
    assert "A 7.7 %" in found[0].what
    assert "B 13.0 %" in found[0].what


def test_few_samples_are_told_and_enough_are_not():
    few = laid_out(entry("1", "A", 0.1), entry("2", "B", 0.1))
    many = laid_out(entry("1", "A", 0.1, count=120), entry("2", "B", 0.1, count=120))

    assert any(doubt.kind == "few_samples" for doubt in doubts(few, 4))
    assert not any(doubt.kind == "few_samples" for doubt in doubts(many, 4))


def test_where_one_has_fewest_answers_it_is_named_with_them():
    line = laid_out(entry("1", "A", 0.1, count=60), entry("2", "B", 0.1, count=12))
    (found,) = [doubt for doubt in doubts(line, 4) if doubt.kind == "few_samples"]

    assert found.what == "B: The percentiles stand on 12 requests."


def test_another_model_is_told_first():
    line = laid_out(entry("1", "A", 0.1, failed=5), entry("2", "B", 0.1, level=8))

    assert doubts(line, 4)[0].kind == "different_concurrency"


def test_a_percentile_of_few_requests_is_weak_and_repeats_are_counted_together():
    few = laid_out(entry("1", "A", 0.1, count=20), entry("2", "B", 0.1, count=40))
    pooled = laid_out(*(entry(f"{run}{label}", label, 0.1, count=20) for run in range(2) for label in "AB"))

    assert [row(few, "ttft_s", name).weak for name in ("p50", "p95", "p99")] == [False, True, True]
    assert [row(few, "ttft_s", name).against[0].weak for name in ("p50", "p95", "p99")] == [False, False, True]
    assert not row(pooled, "ttft_s", "p95").weak


def test_the_words_on_few_requests_go_by_what_is_greyed():
    pooled = laid_out(*(entry(f"{run}{label}", label, 0.1, count=20) for run in range(2) for label in "AB"))
    (found,) = [doubt for doubt in doubts(pooled, 4) if doubt.kind == "few_samples"]

    assert "40 requests" in found.what
    assert "p99 is greyed" in found.why


def test_a_difference_is_not_given_plainly_if_one_of_the_two_was_disturbed():
    busy = ClientHealth(machine_busy_share=0.97)
    line = laid_out(entry("1", "A", 0.1), entry("2", "B", 0.2, client=busy), entry("3", "C", 0.2))

    for found in rows(line, 4, ["p50"]):
        disturbed, sound = found.against
        assert [(one.kind, one.names) for one in disturbed.reservations] == [("machine_busy", ("B",))]
        assert sound.reservations == ()


def test_what_single_runs_are_doubted_for_is_counted_unless_it_is_told_of_all():
    def found(kind, level="act"):
        return Finding(kind=kind, level=level, what=f"{kind} was seen.", why="So.")

    line = laid_out(entry("1", "A", 0.1), entry("2", "B", 0.1))
    of_runs = [("A", [found("cold"), found("few_samples")]), ("B", [found("cold", "stop"), found("fine", "ok")])]

    told = {doubt.kind: doubt for doubt in doubts(line, 4, of_runs)}

    assert told["cold"].what == "2 of 2 runs, such as B: cold was seen."
    assert told["cold"].level == "stop"
    assert "The percentiles stand on" in told["few_samples"].what
    assert "fine" not in told
