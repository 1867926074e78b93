"""The small picture of a recorded load: as many requests as the trace has, over its time."""

import pytest

from core.charts.replay import STEPS, binned, requests_over_time
from core.trace import Rows

ROWS = Rows.of([(place * 0.3, 10, 5) for place in range(200)] + [(30.0, 1, 1)] * 50)


@pytest.mark.parametrize("speed", [1.0, 4.0])
def test_the_area_is_the_number_of_requests_and_the_width_its_time(speed):
    at_s, rates = binned(ROWS, speed)

    assert at_s[-1] == pytest.approx(199 * 0.3 / speed)
    assert sum(rates[:-1]) * at_s[-1] / STEPS == pytest.approx(250)


def test_one_request_is_drawn_too():
    (line,) = requests_over_time("dark", Rows.of([(5.0, 1, 1)])).data

    assert len(line.x) == len(line.y) == STEPS + 1
