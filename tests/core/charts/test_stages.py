"""The small picture of a load in stages."""

from core.charts.stages import stages_over_time
from core.levels import read_stages


def test_the_line_goes_through_every_begin_and_end_of_a_stage():
    (line,) = stages_over_time("light", read_stages("30s@1,60s@1..8,30s@2"), "requests/s").data

    assert list(zip(line.x, line.y, strict=True)) == [(0, 1), (0, 1), (30, 1), (30, 1), (90, 8), (90, 2), (120, 2)]


def test_an_exponential_stage_is_curved():
    (line,) = stages_over_time("dark", read_stages("10s@1..16:exponential"), "requests/s").data

    middle = dict(zip(line.x, line.y, strict=True))[5.0]
    assert middle == 4
