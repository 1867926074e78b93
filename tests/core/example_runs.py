"""Small runs made by hand, for tests of what is computed from runs. Knows no metric."""

from array import array
from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime

from core.plan import Configuration, Endpoint, Load, RunPlan, Workload
from core.records import Failure, FailureKind, RequestRecord, TokenSource
from core.run import Run, RunState, StoppedBy


def answered(
    index: int = 0,
    *,
    sent: float = 0.0,
    first: float = 0.1,
    gaps: Sequence[float] = (0.01,) * 9,
    tokens: int | None = -1,
    asked: int | None = None,
    **rest,
) -> RequestRecord:
    """A streamed answer; `first` and `gaps` in seconds; as many tokens as chunks unless told."""
    chunks = array("i", [round(first * 1e6)])
    for gap in gaps:
        chunks.append(chunks[-1] + round(gap * 1e6))
    output = len(chunks) if tokens == -1 else tokens
    seen = {
        "request_id": f"r{index}",
        "index": index,
        "sent_s": sent,
        "first_token_s": sent + chunks[0] / 1e6,
        "first_answer_s": sent + chunks[0] / 1e6,
        "last_token_s": sent + chunks[-1] / 1e6,
        "ended_s": sent + chunks[-1] / 1e6,
        "input_tokens": 20,
        "requested_input_tokens": 20,
        "output_tokens": output,
        "requested_output_tokens": asked if asked is not None else output,
        "token_source": TokenSource.NONE if output is None else TokenSource.USAGE,
        "finish_reason": "length",
        "reads": len(chunks),
        "chunk_us": chunks,
    }
    return RequestRecord(**seen | rest)


def whole(index: int = 0, *, sent: float = 0.0, took: float = 1.0, tokens: int | None = 10) -> RequestRecord:
    """An answer that came as one JSON body."""
    record = answered(index, sent=sent, tokens=tokens)
    return replace(
        record,
        streamed=False,
        chunk_us=array("i"),
        first_token_s=None,
        first_answer_s=None,
        last_token_s=sent + took,
        ended_s=sent + took,
    )


def failed(
    index: int = 0,
    *,
    sent: float | None = 0.0,
    took: float = 0.005,
    kind: FailureKind = FailureKind.HTTP_5XX,
    message: str = "upstream is down",
    **rest,
) -> RequestRecord:
    """A request without a usable answer."""
    seen = {
        "request_id": f"f{index}",
        "index": index,
        "sent_s": sent,
        "ended_s": None if sent is None else sent + took,
        "failure": Failure(kind=kind, message=message, status=503),
    }
    return RequestRecord(**seen | rest)


def plan(
    *,
    label: str = "Q4_0",
    model: str = "SmolLM2-135M",
    concurrency: int = 1,
    requests: int = 20,
    warmup: int = 1,
    demo: str = "",
    settings: tuple[tuple[str, str], ...] = (("hardware", "one L4"),),
    headers: tuple[tuple[str, str], ...] = (),
    **workload,
) -> RunPlan:
    """A plan of one run."""
    return RunPlan(
        configuration=Configuration(
            id=label,
            label=label,
            model=model,
            settings=settings,
            endpoint=Endpoint(name="here", base_url="http://127.0.0.1:8000/v1", demo=demo, headers=headers),
        ),
        workload=Workload(**{"input_tokens": 20, "output_tokens": 10} | workload),
        load=Load(concurrency=concurrency, requests=requests, warmup_requests=warmup),
    )


def run(requests: Sequence[RequestRecord] = (), *, of: RunPlan | None = None, **rest) -> Run:
    """A completed run of these requests."""
    seen = {
        "id": "run-1",
        "name": "a run",
        "started_at": datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC),
        "ended_at": datetime(2026, 1, 2, 3, 5, 5, tzinfo=UTC),
        "state": RunState.COMPLETED,
        "stopped_by": StoppedBy.REQUESTS,
        "plan": of or plan(),
        "environment": {"server": {"engine": "vLLM", "version": "0.32"}},
        "requests": tuple(requests),
    }
    return Run(**seen | rest)


def steady(count: int = 120, **rest) -> list[RequestRecord]:
    """Requests one after the other, all alike: nothing to doubt."""
    return [answered(index, sent=index * 0.2, **rest) for index in range(count)]
