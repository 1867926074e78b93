"""Runs as a benchmark would record them, and what a drawn page shows."""

import json
import re
from array import array
from datetime import UTC, datetime, timedelta

from core.fleet.local import run_name
from core.plan import Configuration, Endpoint, Load, RunPlan, Workload
from core.records import Failure, FailureKind, RequestRecord, TokenSource
from core.run import ClientHealth, Run, RunState, StoppedBy
from pages.parts import plan_state

STARTED = datetime(2026, 11, 28, 17, 0, tzinfo=UTC)
PAINT = re.compile(r"^:red\[:material/delete: (.*)\]$")
HOSTILE = "<script>alert(1)</script> $x$ [a](b) :red[x]"


def words(page):
    """All markdown and titles of a page, as one text."""
    return "\n".join(str(element.value) for element in (*page.title, *page.markdown))


def figures(page):
    """Every chart's JSON."""
    return [json.loads(chart.proto.spec) for chart in page.get("plotly_chart")]


def table(page):
    """The first table as text, without what escapes its names."""
    return page.table[0].value.to_string().replace("\\", "")


def titles(page):
    """Every chart's title."""
    return " ".join(str(figure["layout"].get("title", {}).get("text")) for figure in figures(page))


def metric(page, label):
    """One card."""
    return next(card for card in page.metric if card.label == label)


def field(page, name):
    """What a field of the plan holds; each plan that was put in has had its own widgets."""
    edition = page.session_state.get(plan_state.EDITION, 0)
    return page.session_state[plan_state.key(name) + (f"_{edition}" if edition else "")]


def button(page, label):
    """One button, by its words without colour and icon."""
    return next(found for found in page.button if PAINT.sub(r"\1", found.label) == label)


def made(
    run_id,
    *,
    label="Q4_0",
    config=None,
    slot=0,
    level=4,
    rate=None,
    requests=40,
    ttft=0.1,
    tpot=0.01,
    failed=0,
    streamed=True,
    state=RunState.COMPLETED,
    experiment="e1",
    demo="",
    message=None,
    lag=0.0002,
    busy=None,
    text="An answer.",
    model="m",
    repeat=0,
):
    """A run and its requests: `failed` of them refused, the others spaced as `ttft` and `tpot` say."""
    configuration = Configuration(
        id=config or label[:40],
        label=label,
        slot=slot,
        model=model,
        endpoint=Endpoint(name="e", base_url="http://127.0.0.1:8000/v1", demo=demo),
        settings=(("quantization", label[:40]),),
    )
    plan = RunPlan(
        configuration=configuration,
        workload=Workload(input_tokens=32, output_tokens=16, stream=streamed),
        load=Load(concurrency=level if rate is None else None, rate=rate, requests=max(requests, 1)),
    )
    run = Run(
        id=run_id,
        name=run_name(plan),
        started_at=STARTED,
        ended_at=STARTED + timedelta(seconds=9),
        state=state,
        stopped_by=StoppedBy.REQUESTS,
        message=message,
        plan=plan,
        experiment={"id": experiment, "name": "Quantizations", "repeat": repeat, "position": 0} if experiment else None,
        environment={"paceline": "0", "server": {"engine": "llama.cpp", "version": "b1"}},
        client=ClientHealth(
            loop_lag_p50_s=lag / 2, loop_lag_p99_s=lag, loop_lag_max_s=lag * 2, machine_busy_share=busy
        ),
    )
    return run, [_record(run_id, i, ttft, tpot, i < failed, streamed, text) for i in range(requests)]


def _record(run_id, index, ttft, tpot, failed, streamed, text):  # noqa: PLR0917 -- a fixture's own
    sent = index * 0.2
    wait = ttft * (1 + index % 7 / 50)
    last = sent + wait + 15 * tpot * (1 + index % 5 / 100)
    if failed:
        failure = Failure(kind=FailureKind.HTTP_5XX, message=f"broken {HOSTILE}", status=500)
        return RequestRecord(
            request_id=f"{run_id}-{index}", index=index, sent_s=sent, ended_s=sent + 0.01, failure=failure
        )
    chunks = [round((wait + k * (last - sent - wait) / 15) * 1e6) for k in range(16)]
    return RequestRecord(
        request_id=f"{run_id}-{index}",
        index=index,
        sent_s=sent,
        first_token_s=sent + wait if streamed else None,
        first_answer_s=sent + wait if streamed else None,
        last_token_s=last,
        ended_s=last,
        input_tokens=32,
        output_tokens=16,
        requested_output_tokens=16,
        token_source=TokenSource.USAGE,
        finish_reason="length",
        streamed=streamed,
        reads=16,
        chunk_us=array("i", chunks) if streamed else array("i"),
        text=text,
    )
