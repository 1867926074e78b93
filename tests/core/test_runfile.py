"""The run file: what is written is read back, without secrets and without NaN; nonsense is refused in one sentence."""

import json
import os
from dataclasses import fields, replace
from datetime import UTC, datetime
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core import runfile
from core.plan import Configuration, Endpoint, Limits, Load, RunPlan, Slo, Stage, Workload
from core.plan_checks import MOST_DEPTH
from core.records import FailureKind, ServerTimes
from core.restraint import Restraint
from core.run import ClientHealth, Preflight, RunState, StoppedBy
from core.runfile import RunFileError
from core.summary import summarise
from core.trace import Rows
from core.workload import LengthPair, Spread
from tests.core.example_runs import answered, failed, plan, run, steady, whole

NOW = datetime(2026, 1, 2, tzinfo=UTC)
# DESIGN's contract, version 1: keys are added, never renamed.
RUN_KEYS = [
    "id", "name", "started_at", "ended_at", "state", "stopped_by", "tags", "notes", "producer", "granularity",
    "definitions", "reported", "experiment", "configuration", "endpoint", "workload", "load", "limits", "slo",
    "environment", "client", "summary", "throughput", "counts", "findings", "server_samples", "requests",
]  # fmt: skip
REQUEST_KEYS = [
    "request_id", "index", "worker", "warmup", "conversation", "turn", "scheduled_s", "sent_s", "first_token_s",
    "first_answer_s", "last_token_s", "ended_s", "connect_s", "input_tokens", "requested_input_tokens",
    "output_tokens", "requested_output_tokens", "reasoning_tokens", "cached_tokens", "token_source", "finish_reason",
    "failure", "server", "reads", "chunk_us",
]  # fmt: skip


def full():
    """A run that has something in every member."""
    return run(
        [
            replace(answered(0), warmup=True),
            answered(1, sent=0.5, text="Hi", reasoning_text="hm", server=ServerTimes(prefill_s=0.1), connect_s=0.01),
            failed(2, sent=0.7, kind=FailureKind.HTTP_429),
            whole(3, sent=0.9),
        ],
        of=plan(concurrency=4, extra_body={"top_k": 3}, headers=(("X-Team", "blue"),)),
        tags=("nightly",),
        notes="second try",
        message="a word",
        experiment={"id": "e", "name": "n", "repeat": 1, "position": 2},
        client=ClientHealth(loop_lag_p99_s=0.0002, cpu_share=0.4, max_in_flight=4, priority="realtime"),
        preflight=Preflight(streams=True, usage=True, changes=("stream_options left out.",)),
    )


def written(*runs, **rest) -> dict:
    """The file's JSON as another program reads it."""
    return json.loads(runfile.to_bytes(runs, **rest))


def test_a_run_comes_back_as_it_was():
    before = full()

    (after,) = runfile.from_bytes(runfile.to_bytes([before], texts=True))

    assert after == before


def test_every_member_of_a_plan_comes_back():
    limits = Limits(
        connect_s=1.0, first_byte_s=2.0, idle_s=3.0, total_s=4.0, error_share=0.5, max_requests=6, max_output_tokens=7
    )
    endpoint = Endpoint(
        name="e", base_url="http://h:1/v2", api="completions", key_name="K", verify=False,
        headers=(("X-Team", "blue"),), ca_file="/ca.pem", limits=limits, notes="mine", demo="simulated",
    )  # fmt: skip
    configuration = Configuration(
        id="c", label="L", endpoint=endpoint, model="m", settings=(("hardware", "L4"),), slot=3, variant="Q4_0"
    )
    workload = Workload(
        input_tokens=1, output_tokens=2, stream=False, temperature=0.5, ignore_eos=True, extra_body={"a": [1]},
        nonce=False, seed=4, keep_text=False, input_spread=Spread(shape="normal", low=1, high=9, stdev=2.5),
        output_spread=Spread(shape="uniform", low=2, high=3), pairs=(), language="mixed", system_prompt="Be brief.",
        stop=("END", "\n"), saved_name="chat", saved_version=3,
    )  # fmt: skip
    load = Load(
        concurrency=None, rate=2.5, burstiness=0.5, constant=True, max_in_flight=4, requests=None, duration_s=9.0,
        warmup_requests=0, stages=(Stage(seconds=3, start=1, end=2.5),), stop_when_saturated=True,
        restraint=Restraint(requests_per_minute=7, tokens_per_minute=8, as_told=True, wait_as_asked=True),
    )  # fmt: skip
    before = RunPlan(configuration=configuration, workload=workload, load=load, slo=Slo.read(["e2e_s.p95 < 0.5"]))

    (after,) = runfile.from_bytes(runfile.to_bytes([run(of=before)]))

    assert after.plan == before
    assert (after.plan.workload.saved_name, after.plan.workload.saved_version) == ("chat", 3)
    # A member that is new to the plan has to be set above: left at its default it would prove nothing.
    untried = [
        f"{type(part).__name__}.{spec.name}"
        for part in (limits, endpoint, configuration, workload, load, load.restraint)
        for spec in fields(part)
        if getattr(part, spec.name) in (spec.default, Restraint())
    ]
    # Which leave no room for stages and for spreads: the next tests have them.
    assert untried == ["Workload.pairs", "Load.trace"]


def test_pairs_of_lengths_come_back():
    pairs = (LengthPair(input_tokens=9, output_tokens=3, weight=2.5), LengthPair(input_tokens=4, output_tokens=8))
    before = plan(pairs=pairs)

    (after,) = runfile.from_bytes(runfile.to_bytes([run(of=before)]))

    assert after.plan == before


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("language", "latin"), ("input_spread", 5), ("output_spread", {"shape": "uniform", "low": 9}), ("pairs", {}),
        ("pairs", [[1, 2]]), ("stop", "END"), ("stop", [1]), ("saved_version", 0),
    ],
)  # fmt: skip
def test_a_workload_of_nonsense_is_refused_in_one_sentence(name, value):
    found = json.loads(runfile.to_bytes([run(of=plan())]))
    found["runs"][0]["workload"][name] = value

    with pytest.raises(runfile.RunFileError, match=r"^The run file cannot be read: runs\[0\]"):
        runfile.from_bytes(json.dumps(found).encode())


def test_a_trace_comes_back_without_its_rows():
    trace = Rows.of([(0.0, 10, 5), (2.0, 30, 15)]).trace("chat.csv", speed=2.5)
    before = replace(plan(), load=Load(concurrency=None, rate=trace.rate, trace=trace, requests=2))

    (after,) = runfile.from_bytes(runfile.to_bytes([run(of=before)]))

    assert after.plan == before
    assert not {spec.name for spec in fields(trace) if getattr(trace, spec.name) == spec.default}


@pytest.mark.parametrize("wrong", [{"digest": "x"}, {"speed": "fast"}, {"rows": 10**9}, "trace", [1]])
def test_a_trace_of_nonsense_is_refused_in_a_sentence(wrong):
    trace = Rows.of([(0.0, 10, 5), (2.0, 30, 15)]).trace("chat.csv")
    plan_of = replace(plan(), load=Load(concurrency=None, rate=trace.rate, trace=trace, requests=2))
    found = json.loads(runfile.to_bytes([run(of=plan_of)]))
    its = found["runs"][0]["load"]
    its["trace"] = its["trace"] | wrong if isinstance(wrong, dict) else wrong

    with pytest.raises(runfile.RunFileError, match="cannot be read"):
        runfile.from_bytes(json.dumps(found).encode())


def test_a_single_run_as_an_object_is_the_files_entry():
    assert json.loads(json.dumps(runfile.run_to_dict(full(), texts=True))) == written(full(), texts=True)["runs"][0]
    assert runfile.run_from_dict(written(full(), texts=True)["runs"][0]) == full()


def test_texts_are_written_only_if_asked_for():
    assert "text" not in written(full())["runs"][0]["requests"][1]
    assert written(full(), texts=True)["runs"][0]["requests"][1]["text"] == "Hi"


def test_every_key_of_the_contract_is_there():
    found = written(full(), exported_at=NOW)

    assert (found["format"], found["version"], found["definitions_version"]) == ("paceline-run", 1, 1)
    assert found["exported_at"] == "2026-01-02T00:00:00+00:00"
    assert found["search"] is None
    assert [key for key in RUN_KEYS if key not in found["runs"][0]] == []
    assert [key for key in REQUEST_KEYS if key not in found["runs"][0]["requests"][0]] == []
    assert {
        "loop_lag_p50_s",
        "loop_lag_p99_s",
        "loop_lag_max_s",
        "cpu_share",
        "max_in_flight",
        "workers",
        "priority",
    } <= set(found["runs"][0]["client"])


def test_derived_numbers_are_those_of_the_summary():
    before = full()
    summary = summarise(before.requests)

    (found,) = written(before)["runs"]

    assert found["summary"]["ttft_s"]["p99"] == pytest.approx(summary.distributions["ttft_s"].p99)
    assert found["throughput"] == summary.throughput
    assert found["counts"] == summary.counts
    assert {"kind", "text"} <= set(found["findings"][0])
    assert "failures" in [finding["kind"] for finding in found["findings"]]


def test_a_summary_that_is_given_is_not_computed_again():
    before = full()
    other = replace(summarise(before.requests), counts={"ok": 7, "failed": 0, "empty": 0})

    assert written(before, summaries={before.id: other})["runs"][0]["counts"]["ok"] == 7


def test_no_secret_is_written():
    secret = "abcd1234efgh5678"
    before = replace(
        full(),
        plan=plan(
            headers=(("X-Api-Key", secret), ("X-Team", "blue")), extra_body={"nested": {"api_key": secret}, "top_k": 3}
        ),
        message=f"401: Bearer {secret} is not known",
        requests=(failed(message=f"Incorrect API key provided: sk-{secret}"),),
    )

    content = runfile.to_bytes([before])

    assert secret.encode() not in content
    assert written(before)["runs"][0]["endpoint"]["headers"] == [["X-Api-Key", "…"], ["X-Team", "blue"]]
    assert runfile.from_bytes(content)[0].plan.workload.extra_body == {"nested": {"api_key": "…"}, "top_k": 3}


def test_the_deepest_body_that_a_plan_takes_comes_back_from_its_run_file():
    body: dict = {}
    for _ in range(MOST_DEPTH - 1):
        body = {"a": body}

    (after,) = runfile.from_bytes(runfile.to_bytes([run(steady(1), of=plan(extra_body=body))]))

    assert after.plan.workload.extra_body == body


def test_what_json_cannot_hold_is_written_without_it():
    odd = replace(
        full(),
        environment={"memory": float("nan"), "n": 2**70, 3: Path("/x"), "broken \ud800": "text \udfff"},
        requests=(answered(sent=float("inf")),),
    )

    found = written(odd)["runs"][0]

    assert found["environment"] == {"memory": None, "n": str(2**70), "3": "/x", "broken ?": "text ?"}
    assert found["requests"][0]["sent_s"] is None
    assert "NaN" not in json.dumps(found)


def test_unknown_keys_are_ignored():
    found = written(full(), texts=True)
    found["new"] = 1
    found["runs"][0]["new"] = {"a": 1}
    found["runs"][0]["requests"][0]["new"] = []

    assert runfile.from_bytes(json.dumps(found).encode()) == [full()]


def test_what_an_imported_file_does_not_tell_stays_unknown():
    found = written(full())
    found["runs"][0]["load"]["concurrency"] = None
    found["runs"][0]["workload"] = None

    (after,) = runfile.from_bytes(json.dumps(found).encode())
    again = written(after)["runs"][0]

    assert after.environment["unknown"] == ["concurrency", "input_tokens", "output_tokens"]
    assert again["load"]["concurrency"] is None
    assert again["workload"]["input_tokens"] is None


def test_a_run_by_duration_comes_back_without_a_number_of_requests():
    load = replace(plan().load, requests=None, duration_s=5.0)
    before = replace(full(), plan=replace(plan(), load=load), state=RunState.CANCELLED, stopped_by=StoppedBy.USER)

    assert runfile.from_bytes(runfile.to_bytes([before], texts=True)) == [before]


def changed(path: str, value) -> bytes:
    """A good file with one member replaced."""
    found = written(full())
    *way, last = [int(step) if step.isdigit() else step for step in path.split(".")]
    inner = found
    for step in way:
        inner = inner[step]
    inner[last] = value
    return json.dumps(found).encode()


@pytest.mark.parametrize(
    ("path", "value"),
    [
        ("runs", {}),
        ("runs.0", []),
        ("runs.0.id", None),
        ("runs.0.name", 3),
        ("runs.0.state", "sleeping"),
        ("runs.0.stopped_by", 4),
        ("runs.0.started_at", "yesterday"),
        ("runs.0.ended_at", 5),
        ("runs.0.tags", "nightly"),
        ("runs.0.producer", []),
        ("runs.0.configuration", []),
        ("runs.0.configuration.model", None),
        ("runs.0.configuration.label", 3),
        ("runs.0.configuration.settings", [["a"]]),
        ("runs.0.endpoint.base_url", "ftp://x"),
        ("runs.0.endpoint.api", "telepathy"),
        ("runs.0.endpoint.headers", [["Host", "evil"]]),
        ("runs.0.load.concurrency", 0),
        ("runs.0.load.concurrency", 2.5),
        ("runs.0.load.concurrency", True),
        ("runs.0.workload.output_tokens", "many"),
        ("runs.0.workload.extra_body", []),
        ("runs.0.limits.total_s", 10**9),
        ("runs.0.client.cpu_share", "half"),
        ("runs.0.preflight.changes", "all"),
        ("runs.0.environment", "here"),
        ("runs.0.experiment", "e"),
        ("runs.0.requests", {"a": 1}),
        ("runs.0.requests.0", None),
        ("runs.0.requests.0.sent_s", "now"),
        ("runs.0.requests.0.sent_s", 1e300),
        ("runs.0.requests.0.output_tokens", -1),
        ("runs.0.requests.0.output_tokens", 1.5),
        ("runs.0.requests.0.index", 2**40),
        ("runs.0.requests.0.warmup", "yes"),
        ("runs.0.requests.0.text", ["x"]),
        ("runs.0.requests.0.token_source", "guess"),
        ("runs.0.requests.0.chunk_us", [1.5]),
        ("runs.0.requests.0.chunk_us", [5, 4]),
        ("runs.0.requests.0.chunk_us", [-5, 4]),
        ("runs.0.requests.0.chunk_us", [2**31]),
        ("runs.0.requests.0.chunk_us", ["1"]),
        ("runs.0.requests.0.chunk_us", 7),
        ("runs.0.requests.0.server", {"prefill_s": "fast"}),
        ("runs.0.requests.2.failure", "it broke"),
        ("runs.0.requests.2.failure.kind", "boredom"),
        ("runs.0.requests.2.failure.status", "503"),
        ("version", 0),
        ("version", "1"),
        ("version", None),
        ("format", "other"),
    ],
)
def test_nonsense_is_refused_in_one_sentence(path, value):
    with pytest.raises(RunFileError) as refused:
        runfile.from_bytes(changed(path, value))

    assert str(refused.value).endswith(".")
    assert "\n" not in str(refused.value)


def test_a_refusal_names_the_place():
    with pytest.raises(RunFileError, match=r"runs\[0\]\.requests\[2\]\.failure\.kind"):
        runfile.from_bytes(changed("runs.0.requests.2.failure.kind", "boredom"))


def test_a_later_version_asks_for_an_update():
    with pytest.raises(RunFileError, match="update Paceline"):
        runfile.from_bytes(changed("version", 2))


@pytest.mark.parametrize(
    "content",
    [b"", b"{", b"[]", b"3", b"null", b'{"format": "paceline-run", "version": 1}', b"\xff\xfe", b"[NaN]", b"[" * 5000],
)
def test_what_is_no_run_file_is_refused(content):
    with pytest.raises(RunFileError):
        runfile.from_bytes(content)


def test_a_file_nested_deeply_is_refused_wherever_it_hides():
    deep = json.loads("[" * 100 + "]" * 100)

    for path in ("runs.0.environment", "runs.0.workload.extra_body", "runs.0.requests.0.chunk_us"):
        with pytest.raises(RunFileError, match="levels deep"):
            runfile.from_bytes(
                changed(path, {"first": 1, "then": [1, deep]} if path.endswith(("t", "y")) else [1, deep])
            )


def test_a_file_too_large_is_refused_before_it_is_read(tmp_path):
    file = tmp_path / "big.json"
    file.write_bytes(runfile.to_bytes([full()]))

    with pytest.raises(RunFileError, match="0 MB"):
        runfile.read(file, most_bytes=100)
    with pytest.raises(RunFileError, match="0 MB"):
        runfile.from_bytes(file.read_bytes(), most_bytes=100)


def test_a_file_that_is_not_there_is_named_in_a_sentence(tmp_path):
    with pytest.raises(RunFileError, match="cannot be read"):
        runfile.read(tmp_path / "none.json")


def test_writing_replaces_the_file_whole_and_leaves_nothing_beside_it(tmp_path):
    file = tmp_path / "out.json"
    file.write_text("old")

    runfile.write(file, [full()], search=None, texts=True)

    assert runfile.read(file) == [full()]
    assert list(tmp_path.iterdir()) == [file]


def test_a_failed_writing_leaves_the_old_file(tmp_path):
    file = tmp_path / "out.json"
    file.write_text("old")
    (tmp_path / "locked").mkdir()

    with pytest.raises(OSError, match="locked"):
        runfile.write(tmp_path / "locked" / "gone" / "out.json", [full()])

    assert file.read_text() == "old"


def test_a_device_is_written_to_and_never_replaced(tmp_path):
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    reader = os.open(pipe, os.O_RDONLY | os.O_NONBLOCK)

    runfile.write(pipe, [run()])

    assert b"paceline-run" in os.read(reader, 100)
    assert pipe.is_fifo()
    os.close(reader)


JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(2**63), 2**63)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=5), inner, max_size=4),
    max_leaves=8,
)
PLACES = (
    ["runs", "runs.0"] + [f"runs.0.{key}" for key in RUN_KEYS] + [f"runs.0.requests.1.{key}" for key in REQUEST_KEYS]
)
PLACES += [
    f"runs.0.{key}"
    for key in ("configuration.endpoint", "endpoint.headers", "load.requests", "client.workers", "environment.server")
]


@given(st.sampled_from(PLACES), JSON)
def test_anything_in_any_place_is_read_or_refused(path, value):
    try:
        runs = runfile.from_bytes(changed(path, value))
    except RunFileError:
        return
    runfile.to_bytes(runs)


def test_many_runs_stand_in_one_file():
    runs = [replace(run(steady(3)), id=f"r{place}") for place in range(3)]

    assert [found.id for found in runfile.from_bytes(runfile.to_bytes(runs))] == ["r0", "r1", "r2"]
