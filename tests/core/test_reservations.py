"""Why a verdict is not to be taken as it stands: which runs give a reason, for which metric, in which words."""

from dataclasses import replace

import pytest

from core.plan import Endpoint
from core.reservations import Reservation, merged, reasons, reservations
from core.run import ClientHealth
from tests.core.compared import entry, laid_out


def found(client, metric="ttft_s", **rest):
    """The kinds told of a pair of which one run had this client."""
    line = laid_out(entry("1", "A", 0.1), entry("2", "B", 0.1, client=client, **rest))
    return [one.kind for one in reservations({one.name: one.cells[4] for one in line.contenders}, metric)]


@pytest.mark.parametrize("metric", ["ttft_s", "tpot_s", "e2e_s", "decode_tps", "output_tokens_per_s"])
def test_a_busy_machine_is_a_reason_for_every_metric(metric):
    assert found(ClientHealth(machine_busy_share=0.95), metric) == ["machine_busy"]
    assert found(ClientHealth(machine_busy_share=0.94), metric) == []


def test_a_busy_machine_is_none_where_the_server_is_elsewhere():
    line = laid_out(entry("1", "A", 0.1, client=ClientHealth(machine_busy_share=1.0)))
    (cell,) = line.baseline.cells.values()
    (one,) = cell.entries
    away = replace(one.run.plan.configuration, endpoint=Endpoint(name="e", base_url="http://10.0.0.9:8000/v1"))
    elsewhere = replace(one, run=replace(one.run, plan=replace(one.run.plan, configuration=away)))

    assert reservations({"A": cell}, "ttft_s")
    assert reservations({"A": replace(cell, entries=(elsewhere,))}, "ttft_s") == ()


@pytest.mark.parametrize(
    ("lag", "metric", "kinds"),
    [
        (0.006, "ttft_s", ["client_limited"]),
        (0.004, "ttft_s", []),
        (0.006, "output_tokens_per_s", []),
        (0.006, "e2e_s", []),
    ],
)
def test_a_late_client_is_a_reason_for_what_it_was_late_for(lag, metric, kinds):
    assert found(ClientHealth(loop_lag_p99_s=lag), metric) == kinds


def test_one_disturbed_repeat_is_enough():
    line = laid_out(entry("1", "A", 0.1), entry("2", "A", 0.1, client=ClientHealth(machine_busy_share=1.0)))

    assert [one.names for one in reservations({"A": line.baseline.cells[4]}, "ttft_s")] == [("A",)]


def test_reasons_of_several_metrics_are_told_once_in_one_sentence():
    busy, late = (Reservation(kind=kind, names=("A",)) for kind in ("machine_busy", "client_limited"))
    both = merged([[busy], [busy, late], [replace(busy, names=("B",))]])

    assert [(one.kind, one.names) for one in both] == [("machine_busy", ("A", "B")), ("client_limited", ("A",))]
    assert reasons(both) == (
        "This machine had no idle time while A, B ran on it and the load generator was late for A: "
        "what differs may be that, and not the configurations."
    )
    assert reasons(()) == ""
