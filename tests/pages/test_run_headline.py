"""The numbers at the top of a run's page, each beside those that it is read with."""

from tests.pages.seen import metric


def test_what_stands_on_one_card_is_in_one_unit(put, opened):
    put("a", ttft=9.5)

    page = opened("run", run="a")

    assert metric(page, "TTFT p50").value == "10.1 s"
    assert metric(page, "TTFT p50").proto.delta == "9.50 s to 10.6 s"
    assert metric(page, "TPOT p50").proto.delta == "p95 10.4 ms"
