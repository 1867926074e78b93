"""Limits as people read them."""

from core.plan import Slo
from pages.parts.slo_words import slo_words


def test_each_limit_is_said_with_its_unit():
    slo = Slo.read(["ttft_s.p95 < 0.5", "e2e_s.max <= 12", "decode_tps.p50 >= 20", "success_rate > 0.999"])

    assert slo_words(slo) == (
        "TTFT p95 below 500 ms, E2E latency max at most 12 s, Decode speed p50 at least 20 tokens/s, "
        "Success rate above 99.9 %"
    )
