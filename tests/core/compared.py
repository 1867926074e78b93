"""Runs to be compared, made of a few numbers."""

from datetime import UTC, datetime

from core.lineup import Entry, lineup
from core.plan import Configuration, Endpoint, Load, RunPlan
from core.run import ClientHealth, Run, RunState
from core.steadiness import Rate
from core.summary import Summary, distribution

STARTED = datetime(2026, 11, 23, 9, 0, tzinfo=UTC)


def spaced(middle, *, count=60, spread=0.1):
    """Values about the middle."""
    return [middle * (1 + spread * (k / (count - 1) - 0.5)) for k in range(count)]


def entry(
    run_id,
    label,
    ttft,
    *,
    tps=100.0,
    error=0.02,
    level=4,
    failed=0,
    tpot=0.01,
    count=60,
    demo="",
    client=None,
    rate=None,
    in_flight=None,
    repeat=None,
):
    """One run of a configuration of this name, at a level or a rate, its values spread evenly about those given.

    `repeat`: which of its experiment it is; None where that is not known.
    """
    raw = {
        "ttft_s": spaced(ttft, count=count),
        "tpot_s": spaced(tpot, count=count),
        "e2e_s": spaced(ttft + tpot * 99, count=count),
    }
    raw["decode_tps"] = [1 / value for value in raw["tpot_s"]]
    raw["output_tokens"] = [100] * count
    configuration = Configuration(
        id=label, label=label, model="m", endpoint=Endpoint(name="e", base_url="http://127.0.0.1:1/v1", demo=demo)
    )
    run = Run(
        id=run_id,
        name=run_id,
        started_at=STARTED,
        state=RunState.COMPLETED,
        plan=RunPlan(
            configuration=configuration,
            load=Load(concurrency=level if rate is None else None, rate=rate, requests=count),
        ),
        experiment={"id": "e"} if repeat is None else {"id": "e", "repeat": repeat},
        client=client or ClientHealth(),
    )
    summary = Summary(
        distributions={metric: found for metric, values in raw.items() if (found := distribution(values))},
        throughput={"output_tokens_per_s": tps},
        counts={"ok": count, "failed": failed, "empty": 0, "cancelled": 0, "incomplete": 0, "warmup": 0},
        success_rate=count / (count + failed),
        mean_in_flight=in_flight,
    )
    output = Rate(per_s=tps, error=error, freedom=4)
    return Entry(run=run, summary=summary, values=raw.__getitem__, grid=raw.__getitem__, output=lambda: output)


def laid_out(*entries):
    """The runs side by side, the first configuration the baseline."""
    return lineup(entries, date=str)
