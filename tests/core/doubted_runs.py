"""For every kind of finding a run that shows it and one almost the same that does not. Knows no sentence, no page."""

from dataclasses import replace

from core.load import Load
from core.plan import RunPlan
from core.records import FailureKind, RequestRecord
from core.run import ClientHealth, Preflight, Run, RunState, StoppedBy
from tests.core.example_runs import answered, failed, plan, run, steady, whole

OURS = plan(label="Doubted")
SIMULATED = plan(label="Doubted", demo="simulated")
LATE = {"server": {"engine": "paced", "late_p99_s": 0.02}}
ON_TIME = {"server": {"engine": "paced", "late_p99_s": 0.0002}}


def doubted(requests: list[RequestRecord] | None = None, *, of: RunPlan = OURS, **rest) -> Run:
    """A run with these requests; steady ones unless told."""
    return run(steady() if requests is None else requests, of=of, id="doubted", **rest)


def each(count: int = 120, **seen) -> list[RequestRecord]:
    """Requests one a second, all alike."""
    return [answered(index, sent=index, **seen) for index in range(count)]


def serial(count: int, in_flight: int) -> list[RequestRecord]:
    """A server that takes one request after the other, each for 0.2 s, while several wait."""
    return [
        answered(index, sent=0.2 * max(0, index - in_flight), first=0.2 * min(index + 1, in_flight + 1) - 0.15)
        for index in range(count)
    ]


def at_ten_a_second(slip: float, **rest) -> Run:
    """An open loop, each request sent so late."""
    made = doubted([answered(index, scheduled_s=index / 10, sent=index / 10 + slip) for index in range(120)], **rest)
    return replace(made, plan=replace(made.plan, load=Load(concurrency=None, rate=10.0, max_in_flight=4)))


def lost(ok: int, count: int, **rest) -> list[RequestRecord]:
    """So many answers, and so many failures after them."""
    return [*steady(ok), *(failed(index, sent=40 + index, **rest) for index in range(ok, ok + count))]


def refused(count: int) -> Run:
    """An open loop of 120 requests; no connection stood for so many of them."""
    made = at_ten_a_second(0.0)
    gone = [failed(at, sent=None, kind=FailureKind.REFUSED, scheduled_s=at / 10) for at in range(120 - count, 120)]
    return replace(made, requests=(*made.requests[:-count], *gone))


# Kind -> (a run that shows it, one almost the same that does not).
DOUBTED: dict[str, tuple[Run, Run]] = {
    "run_failed": (doubted(state=RunState.FAILED), doubted(state=RunState.COMPLETED)),
    "interrupted": (doubted(state=RunState.INTERRUPTED), doubted(state=RunState.COMPLETED)),
    "cancelled": (doubted(state=RunState.CANCELLED), doubted(state=RunState.COMPLETED)),
    "stopped_early": (doubted(stopped_by=StoppedBy.TOKENS), doubted(stopped_by=StoppedBy.DURATION)),
    "saturated": (
        at_ten_a_second(0.0, stopped_by=StoppedBy.SATURATION),
        at_ten_a_second(0.0, stopped_by=StoppedBy.DURATION),
    ),
    "no_success": (doubted(lost(0, 3)), doubted(lost(1, 3))),
    "failures": (doubted(lost(198, 3)), doubted(lost(198, 2))),
    "turned_away": (
        doubted(lost(197, 3, kind=FailureKind.HTTP_429)),
        doubted(lost(198, 2, kind=FailureKind.HTTP_429)),
    ),
    "kept_under_limits": (
        doubted(steady(), client=ClientHealth(held_requests=1)),
        doubted(steady(), client=ClientHealth(held_requests=0)),
    ),
    "behind_schedule": (
        at_ten_a_second(0.5, client=ClientHealth(max_in_flight=4)),
        at_ten_a_second(0.0, client=ClientHealth(max_in_flight=4)),
    ),
    "not_connected": (refused(3), refused(2)),
    "impossible_counts": (doubted(each(tokens=1_001, asked=10)), doubted(each(tokens=1_000, asked=10))),
    "client_limited": (
        doubted(client=ClientHealth(loop_lag_p99_s=0.02)),
        doubted(client=ClientHealth(loop_lag_p99_s=0.0002)),
    ),
    "client_kept_up": (
        doubted(client=ClientHealth(loop_lag_p99_s=0.0002)),
        doubted(client=ClientHealth(loop_lag_p99_s=0.02)),
    ),
    "machine_busy": (
        doubted(client=ClientHealth(machine_busy_share=0.96)),
        doubted(client=ClientHealth(machine_busy_share=0.94)),
    ),
    "not_streamed": (doubted([*steady(119), whole(119, sent=40)]), doubted(steady(120))),
    "buffered_stream": (
        doubted([answered(index, sent=3 * index, first=2.0, gaps=(0.001,) * 9) for index in range(120)]),
        doubted([answered(index, sent=3 * index, first=2.0, gaps=(0.03,) * 9) for index in range(120)]),
    ),
    "one_after_another": (
        doubted(serial(120, 4)),
        doubted([answered(index, sent=0.2 * (index // 4)) for index in range(120)]),
    ),
    "cold_first_request": (
        doubted([answered(0, first=0.9), *each()[1:]]),
        doubted([answered(0, first=0.19), *each()[1:]]),
    ),
    "no_usage": (doubted(each(tokens=None)), doubted(each())),
    "prompt_lengths": (
        doubted(each(input_tokens=103, requested_input_tokens=100)),
        doubted(each(input_tokens=102, requested_input_tokens=100)),
    ),
    "short_answers": (doubted(each(asked=20)), doubted(each(asked=10))),
    "max_tokens_not_obeyed": (doubted(each(tokens=12, asked=10)), doubted(each(tokens=11, asked=10))),
    "no_finish_reason": (
        doubted([*each()[1:], answered(0, finish_reason=None)]),
        doubted([*each()[1:], answered(0, finish_reason="stop")]),
    ),
    "chunks_not_tokens": (doubted(each(tokens=30)), doubted(each(tokens=11))),
    "simulated": (doubted(of=SIMULATED), doubted(of=plan(label="Doubted", demo="llama.cpp"))),
    "simulator_late": (doubted(of=SIMULATED, environment=LATE), doubted(of=SIMULATED, environment=ON_TIME)),
    "parameters_changed": (
        doubted(preflight=Preflight(changes=("stream_options was left out.",))),
        doubted(preflight=Preflight(changes=())),
    ),
    "goes_on_generating": (
        doubted(preflight=Preflight(stops_on_disconnect=False)),
        doubted(preflight=Preflight(stops_on_disconnect=None)),
    ),
    "few_samples": (doubted(steady(99)), doubted(steady(100))),
    "incomparable": (doubted(of=plan(label="Doubted", settings=())), doubted()),
}
