"""The numbers at the top of a run's page, each beside those that it is read with."""

from dataclasses import replace

from pages.parts.run_headline import line
from tests.pages.seen import made, metric


def test_what_stands_on_one_card_is_in_one_unit(put, opened):
    put("a", ttft=9.5)

    page = opened("run", run="a")

    assert metric(page, "TTFT p50").value == "10.1 s"
    assert metric(page, "TTFT p50").proto.delta == "9.50 s to 10.6 s"
    assert metric(page, "TPOT p50").proto.delta == "p95 10.4 ms"


def test_the_line_under_the_title_tells_the_engine_that_the_user_wrote_where_the_server_told_none():
    seen, _ = made("a")
    configuration = replace(seen.plan.configuration, settings=(("engine", "paced"), ("version", "1.2")))
    plan = replace(seen.plan, configuration=configuration)
    written = replace(seen, plan=plan, environment={"server": {"engine": "unknown"}})

    assert " · paced 1.2 · " in line(written).replace("\\", "")
    assert "unknown" not in line(replace(seen, environment={"server": {"engine": "unknown"}}))
