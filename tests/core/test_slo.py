"""An SLO is read as people write it, refuses what it cannot mean, and says what keeps it."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.metrics import PER_REQUEST
from core.plan import PlanError
from core.slo import LATENCIES, SPEEDS, STATISTICS, Slo, SloLimit, common_limit
from core.summary import STATISTICS as SUMMARISED


@pytest.mark.parametrize(
    ("written", "read"),
    [
        ("ttft_s.p95 < 0.5", ("ttft_s", "p95", "<", 0.5)),
        ("ttft_s.p95<500ms", ("ttft_s", "p95", "<", 0.5)),
        (" e2e_s.mean <= 8 s ", ("e2e_s", "mean", "<=", 8.0)),
        ("success_rate > 0.99", ("success_rate", "", ">", 0.99)),
        ("success_rate >= 99 %", ("success_rate", "", ">=", 0.99)),
        ("decode_tps.p50 > 30", ("decode_tps", "p50", ">", 30.0)),
    ],
)
def test_a_limit_is_read_as_it_is_written(written, read):
    limit = SloLimit.read(written)

    assert (limit.metric, limit.statistic, limit.relation, limit.value) == read


@pytest.mark.parametrize(
    "written",
    [
        "", "ttft_s", "ttft_s.p95", "ttft_s.p95 = 0.5", "ttft_s.p95 > 0.5", "ttft_s < 0.5", "nonsense.p95 < 1",
        "ttft_s.p42 < 1", "success_rate.p95 > 0.9", "success_rate > 99", "success_rate < 0.9", "ttft_s.p95 < -1",
        "ttft_s.p95 < 0", "ttft_s.p95 < nan", "ttft_s.p95 < 1e999", "ttft_s.p95 < 50 %", "decode_tps.p50 > 3 s",
        "ttft_s.p95 < e", "decode_tps.p50 < 30",
    ],
)  # fmt: skip
def test_nonsense_is_refused_with_a_sentence(written):
    with pytest.raises(PlanError) as refused:
        SloLimit.read(written)

    assert str(refused.value).endswith(".")


@given(
    st.sampled_from([*LATENCIES, *SPEEDS]),
    st.sampled_from(STATISTICS),
    st.sampled_from(["", "="]),
    st.floats(0.001, 999),
)
def test_what_is_written_is_read_back(metric, statistic, equal, value):
    relation = ("<" if metric in LATENCIES else ">") + equal
    limit = SloLimit(metric=metric, statistic=statistic, relation=relation, value=float(f"{value:g}"))

    assert SloLimit.read(str(limit)) == limit


def test_every_metric_and_statistic_of_a_limit_is_one_that_runs_have():
    assert {*LATENCIES, *SPEEDS} <= set(PER_REQUEST)
    assert set(STATISTICS) <= set(SUMMARISED)


def test_a_value_that_does_not_exist_keeps_no_limit():
    limit = SloLimit.read("tpot_s.p99 <= 0.05")

    assert limit.keeps(0.05)
    assert not limit.keeps(0.0501)
    assert not limit.keeps(None)


def test_two_limits_on_one_number_are_refused():
    with pytest.raises(PlanError, match="twice"):
        Slo.read(["ttft_s.p95 < 0.5", "ttft_s.p95 < 0.6"])


def test_a_metric_that_nobody_knows_is_quoted_in_a_few_words():
    with pytest.raises(PlanError) as refused:
        SloLimit(metric="x" * 5000, statistic="p95", relation="<", value=1.0)

    assert len(str(refused.value)) < 300


def test_a_limit_is_common_where_nobody_has_another_one():
    half, one, other = Slo.read(["ttft_s.p95 < 0.5"]), Slo.read(["ttft_s.p95 < 1"]), Slo.read(["tpot_s.p50 < 0.1"])

    assert common_limit([half, None, other, half], "ttft_s", "p95") == 0.5
    assert common_limit([half, one], "ttft_s", "p95") is None
    assert common_limit([half], "ttft_s", "p50") is None
    assert common_limit([None], "ttft_s", "p95") is None
