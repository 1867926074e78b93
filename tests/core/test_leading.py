"""Who is ahead over all configurations, and that a verdict on disturbed runs is never given plainly."""

import pytest

from core.leading import lead, soonest
from core.run import ClientHealth
from tests.core.compared import entry, laid_out

BUSY, LATE = ClientHealth(machine_busy_share=0.97), ClientHealth(loop_lag_p99_s=0.02)


def test_the_soonest_is_named_alone_only_if_the_others_are_later():
    clear = soonest(laid_out(entry("1", "A", 0.2), entry("2", "B", 0.1)), 4, "ttft_s", "p50")
    tied = soonest(laid_out(entry("1", "A", 0.1), entry("2", "B", 0.1001)), 4, "ttft_s", "p50")

    assert [one.name for one in clear.best] == ["B"]
    assert clear.to_baseline.difference.ratio == pytest.approx(0.5)
    assert [one.name for one in tied.best] == ["A", "B"]
    assert tied.to_baseline is None


def test_with_too_few_requests_the_soonest_is_not_told():
    found = soonest(laid_out(entry("1", "A", 0.2, count=3), entry("2", "B", 0.1, count=3)), 4, "ttft_s", "p50")

    assert not found.enough
    assert len(found.best) == 2


def test_a_simulator_is_not_held_against_real_servers():
    real = laid_out(entry("1", "A", 0.2), entry("2", "B", 0.1), entry("3", "Paced", 0.01, demo="simulated"))
    made_up = laid_out(entry("1", "P", 0.2, demo="simulated"), entry("2", "Q", 0.1, demo="simulated"))

    assert soonest(real, 4, "ttft_s", "p50").best[0].name == "B"
    assert "Paced" not in lead(real).sentence
    assert soonest(made_up, 4, "ttft_s", "p50").best[0].name == "Q"


def test_the_soonest_of_one_is_nobody():
    assert soonest(laid_out(entry("1", "A", 0.1)), 4, "ttft_s", "p50") is None


def test_the_ranking_names_the_fastest():
    line = laid_out(entry("1", "A", 0.1, tpot=0.02), entry("2", "B", 0.1, tpot=0.01, tps=200.0))

    assert lead(line).sentence.startswith("B decodes fastest")


def test_a_simulator_is_named_so_in_the_verdict():
    line = laid_out(entry("1", "P", 0.1, tpot=0.02, demo="simulated"), entry("2", "Q", 0.1, demo="simulated"))

    assert lead(line).sentence.startswith("Q (simulated) decodes fastest")


def two(client=None, **rest):
    return laid_out(entry("1", "A", 0.1, tpot=0.02), entry("2", "B", 0.05, tps=200.0, client=client, **rest))


def test_a_verdict_on_sound_runs_is_given_plainly():
    found = lead(two(ClientHealth(machine_busy_share=0.94, loop_lag_p99_s=0.0001)))

    assert found.doubted == ()
    assert found.sentence == found.ranking.sentence
    assert soonest(two(), 4, "ttft_s", "p50").reservations == ()


def test_a_verdict_on_a_busy_machine_is_in_doubt_in_every_metric():
    found = lead(two(BUSY))

    assert found.sentence == "In doubt: " + found.ranking.sentence
    assert [(one.kind, one.names) for one in found.doubted] == [("machine_busy", ("B",))]
    assert all(found.reservations.values())
    assert [one.kind for one in soonest(two(BUSY), 4, "ttft_s", "p50").reservations] == ["machine_busy"]


def test_a_late_client_puts_in_doubt_what_it_was_late_for_and_nothing_else():
    found = lead(two(LATE))  # 20 ms: over 5 % of 50 ms and over 1 % of 990 ms

    assert [one.kind for one in found.reservations["decode_tps"]] == ["client_limited"]
    assert found.reservations["output_tokens_per_s"] == ()
    assert [one.kind for one in soonest(two(LATE), 4, "ttft_s", "p50").reservations] == ["client_limited"]
    assert soonest(two(LATE), 4, "e2e_s", "p50").reservations == ()


def test_disturbed_runs_are_in_doubt_though_they_are_too_few_to_tell():
    few = laid_out(entry("1", "A", 0.1, count=3, error=None), entry("2", "B", 0.2, count=3, error=None, client=BUSY))

    assert lead(few).sentence.startswith("In doubt: Too few requests")
    assert [one.kind for one in soonest(few, 4, "ttft_s", "p50").reservations] == ["machine_busy"]


@pytest.mark.parametrize("level", [1, 4])
def test_a_disturbed_run_at_another_load_leaves_a_verdict_alone(level):
    line = laid_out(
        *(entry(f"{label}{at}", label, 0.1, level=at) for label in "AB" for at in (1, 4)),
        entry("A2", "A", 0.1, level=2, client=BUSY),
        entry("B2", "B", 0.1, level=2),
    )

    assert lead(line).doubted == ()
    assert soonest(line, level, "ttft_s", "p50").reservations == ()
