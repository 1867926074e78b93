"""A limit is kept, not kept, or cannot be judged: what is unknown is told with its reason."""

import pytest

from core.judging import meets, unknown
from core.slo import Slo
from core.summary import summarise
from tests.core.example_runs import answered, failed, steady, whole

AT_ONCE = [answered(index, gaps=(0.0,) * 9) for index in range(4)]
UNKNOWN = [
    ("tpot_s.p50 < 5", steady(4, tokens=None), "TPOT is unknown, as the server counts no tokens"),
    ("decode_tps.p50 > 5", steady(4, tokens=None), "Decode speed is unknown, as the server counts no tokens"),
    ("e2e_tps.p50 > 5", steady(4, tokens=None), "End-to-end speed is unknown, as the server counts no tokens"),
    ("decode_tps.p50 > 5", AT_ONCE, "Decode speed is unknown, as each answer came all at once"),
    ("tpot_s.p50 < 5", [answered(gaps=(), tokens=1)], "TPOT is unknown, as no answer had two tokens"),
    ("tpot_s.p50 < 5", [answered(gaps=(), tokens=9)], "TPOT is unknown, as each answer came all at once"),
    ("ttft_s.p50 < 5", [whole()], "TTFT is unknown, as no answer came as a stream"),
    ("ttfa_s.p50 < 5", [answered(first_answer_s=None)], "TTFA is unknown, as no answer had such a value"),
]


@pytest.mark.parametrize(("limit", "records", "why"), UNKNOWN)
def test_a_number_that_answers_do_not_have_is_told_with_its_reason(limit, records, why):
    assert unknown(summarise(records), Slo.read([limit])).startswith(f"{limit} cannot be judged: {why}. ")


@pytest.mark.parametrize("limit", dict.fromkeys(limit for limit, *_ in UNKNOWN))
def test_a_number_that_is_there_can_be_judged(limit):
    assert unknown(summarise(steady(4)), Slo.read([limit])) == ""
    assert meets(summarise(steady(4)), Slo.read([limit]))


def test_where_nothing_answered_a_limit_is_not_kept_for_that_reason_and_not_unknown():
    nothing = summarise([failed()])

    assert unknown(nothing, Slo.read(["tpot_s.p50 < 5"])) == ""
    assert not meets(nothing, Slo.read(["tpot_s.p50 < 5"]))
