"""The one generic test of the input cases: whatever folder it is given, it knows no case by name.

CASES_DIR names the folder (default: the copy in tests/cases); tests/cases/README.md says what the fields mean.
"""

import asyncio
import json
import os
import random
import shutil
from dataclasses import replace
from functools import lru_cache
from itertools import pairwise
from pathlib import Path

import pytest

from core import metrics
from core.findings import findings
from core.records import Failure, FailureKind, Outcome, RequestRecord, TokenSource
from core.wire.errors import http_failure, parameter_change
from core.wire.openai import Answer, StreamDecoder
from core.wire.sse import SseParser
from tests.core.example_runs import plan, run
from tests.core.loadgen.scripted import answers, measured, plan_for, scripted

FOLDER = Path(os.environ.get("CASES_DIR") or Path(__file__).parent / "cases")
ENDING = ".expected.json"
WAITING = {"result_file": "uploads of other tools' files"}
ELSEWHERE = {
    "requests": "an ordinary test of metrics and summary",
    "comparison": "answered in tests/core/test_comparison.py",
}
# The table of GLOSSARY.md: our kinds in the words of the cases.
ERROR_CLASSES = {
    FailureKind.STREAM_ERROR: "stream_error",
    FailureKind.MALFORMED: "malformed",
    FailureKind.TRUNCATED: "truncated",
    **{kind: "http_error" for kind in FailureKind if kind.startswith("http_")},
    FailureKind.CONTEXT_OVERFLOW: "http_error",
    FailureKind.OUT_OF_MEMORY: "http_error",
    FailureKind.EMPTY: None,
}
ASKED = 5  # requests of a measured run that is refused each time
OUTCOMES = {Outcome.OK: "ok", Outcome.EMPTY: "empty", Outcome.FAILED: "error"}
SOURCES = {"usage", "x_groq", "none", "estimated"}


def test_every_case_is_answered_right(capsys):
    differences, waiting = run_folder(FOLDER)

    with capsys.disabled():  # what is not checked here is said in every run
        print("", *waiting, sep="\n  ")
    assert differences == []


def test_names_and_the_order_of_keys_change_nothing(tmp_path):
    shuffled = random.Random(7)
    for number, (expected, source) in enumerate(pairs(FOLDER)):
        case = {**json.loads(expected.read_text()), "case": f"renamed-{number}"}
        (tmp_path / f"z{number}{ENDING}").write_text(json.dumps(shuffle(case, shuffled)))
        shutil.copy(source, tmp_path / f"z{number}{source.suffix}")

    differences, waiting = run_folder(tmp_path)

    assert differences == []
    assert len(waiting) == len(run_folder(FOLDER)[1])


def test_one_changed_value_in_any_expectation_is_a_difference():
    unseen = []
    for expected, source in pairs(FOLDER):
        case = json.loads(expected.read_text())
        for part in ("expect", "expect_timing"):
            for path, changed in changes(case.get(part, {})) if case["kind"] in CHECKS else ():
                if not CHECKS[case["kind"]]({**case, part: changed}, source):
                    unseen.append(f"{expected.name} {part}.{path}")

    assert unseen == []


@pytest.mark.parametrize(
    ("case", "difference"),
    [
        ({"kind": "novel", "expect": {}}, "unknown kind"),
        ({"kind": "sse", "http": {"status": 200, "content_type": ""}, "expect": {"novelty": 1}}, "unknown key"),
        ({"kind": "http_errors", "expect": {"novelty": 1}}, "unknown key"),
    ],
)
def test_what_is_not_understood_is_a_difference(tmp_path, case, difference):
    (tmp_path / f"a{ENDING}").write_text(json.dumps({"case": "a", **case}))
    (tmp_path / "a.sse").write_bytes(b"[]")

    assert difference in " ".join(run_folder(tmp_path)[0])


def test_an_empty_folder_is_a_difference(tmp_path):
    assert run_folder(tmp_path)[0] == [f"no case in {tmp_path}"]


def test_an_input_without_expectations_is_a_difference(tmp_path):
    (tmp_path / "a.sse").write_bytes(b"")

    assert "a.sse has no a.expected.json" in run_folder(tmp_path)[0]


# -- the runner -------------------------------------------------------------------------------------------------------


def pairs(folder):
    """(expectation, input) of every case."""
    found = []
    for expected in sorted(folder.glob(f"*{ENDING}")):
        name = expected.name.removesuffix(ENDING)
        inputs = [folder / f"{name}{suffix}" for suffix in (".sse", ".json", ".jsonl")]
        found.append((expected, next((path for path in inputs if path.exists()), inputs[0])))
    return found


def run_folder(folder):
    """(differences, lines about what is checked elsewhere or waits)."""
    differences, waiting = [], []
    found = pairs(folder)
    known = {path for pair in found for path in pair}
    inputs = {path for path in folder.iterdir() if path.suffix in {".sse", ".json", ".jsonl"}}
    differences += [f"{path.name} has no {path.stem}{ENDING}" for path in sorted(inputs - known)]
    for expected, source in found:
        case = json.loads(expected.read_text())
        kind = case.get("kind")
        if kind in CHECKS:
            differences += [f"{expected.name}: {difference}" for difference in CHECKS[kind](case, source)]
        elif kind in WAITING:
            waiting.append(f"waiting for {WAITING[kind]}: {expected.name}")
        elif kind in ELSEWHERE:
            waiting.append(f"{ELSEWHERE[kind]}: {expected.name}")
        else:
            differences.append(f"{expected.name}: unknown kind {kind!r}")
    return differences or ([] if found else [f"no case in {folder}"]), waiting


def shuffle(value, chosen):
    """The same JSON with the keys of every object in another order."""
    if isinstance(value, list):
        return [shuffle(item, chosen) for item in value]
    if not isinstance(value, dict):
        return value
    keys = list(value)
    chosen.shuffle(keys)
    return {key: shuffle(value[key], chosen) for key in keys}


def changes(value, path=""):
    """(path, the whole value with one leaf changed) for every leaf."""
    if isinstance(value, dict) and value:
        for key, item in value.items():
            for where, changed in changes(item, f"{path}.{key}"):
                yield where, {**value, key: changed}
    elif isinstance(value, list) and value:
        for at, item in enumerate(value):
            for where, changed in changes(item, f"{path}[{at}]"):
                yield where, [*value[:at], changed, *value[at + 1 :]]
    elif value != {}:
        yield path, other(value)


def other(value):
    """A value of the same kind that is not this one."""
    if isinstance(value, bool):
        return not value
    if isinstance(value, int | float):
        return value + 1
    return [*value, "novelty"] if isinstance(value, list) else f"{value or ''}~" if value is not None else 1


# -- kind: sse --------------------------------------------------------------------------------------------------------


@lru_cache
def event_ends(body):
    """Offsets after the byte that dispatches each event with data."""
    parser, ends = SseParser(), []
    for at in range(len(body)):
        ends += [at + 1 for event in parser.feed(body[at : at + 1]) if event.data.strip()]
    return tuple(ends)


@lru_cache(maxsize=2000)  # one body is held against many changed expectations
def decode(status, content_type, body, cuts, times_us):
    """The answer when the transport cuts at these offsets; `times_us` is one per data event, or empty."""
    decoder = StreamDecoder(status=status, content_type=content_type)
    ends = event_ends(body) if times_us else []
    edges = [0, *cuts, len(body)]
    for start, stop in pairwise(edges):
        seen = sum(end <= stop for end in ends)
        decoder.feed(times_us[max(0, min(seen, len(times_us)) - 1)] if times_us else 0, body[start:stop])
    return decoder.finish(complete=True)


def sse_differences(case, source):
    """What this stream's answer has other than expected, for many cuts of its bytes."""
    body = source.read_bytes()
    unknown = set(case["expect"]) - set(SEEN)
    unknown |= set(case.get("expect_timing", {})) - TIMES
    if unknown:
        return [f"unknown key {name}" for name in sorted(unknown)]
    every = range(1, len(body))
    given = tuple(case.get("feed_splits") or ())
    ways = [
        (),
        every,
        every if case.get("feed_splits") == "every_byte" else given,
        *(every[size::size] for size in (2, 7, 64, 311)),
    ]
    found = []
    http = case["http"]["status"], case["http"]["content_type"]
    for cuts in ways:
        answer = decode(*http, body, cuts, ())
        found += [text for text in seen_differences(case, answer) if text not in found]
    times_us = tuple(round(ms * 1000) for ms in case.get("event_times_ms", []))
    answer = decode(*http, body, event_ends(body), times_us)
    return found + timing_differences(case, answer, times_us) + warning_differences(case, answer)


def seen_differences(case, answer):
    """Everything under `expect` but the warnings."""
    record = record_of(answer)
    return [
        f"{name}: {SEEN[name](answer, record)!r} instead of {wanted!r}"
        for name, wanted in case["expect"].items()
        if name != "must_warn" and not agrees(name, wanted, SEEN[name](answer, record))
    ]


def agrees(name, wanted, seen):
    """Whether a value is the expected one."""
    if name == "error_message_contains":
        return bool(wanted) and wanted in (seen or "")
    if name == "token_count_source_any_of":
        return seen in wanted and set(wanted) <= SOURCES
    if name == "error_class_any_of":
        return seen in wanted and set(wanted) <= set(ERROR_CLASSES.values())
    if name in {"prompt_ms_server", "predicted_ms_server"}:
        return wanted == pytest.approx(seen, rel=1e-9)
    return wanted == seen and isinstance(wanted, bool) == isinstance(seen, bool)


def record_of(answer: Answer):
    """The record of a request that was sent at 0, as the load generator makes it."""
    return RequestRecord(
        request_id="case",
        index=0,
        sent_s=0.0,
        first_token_s=answer.chunk_us[0] / 1e6 if answer.chunk_us else None,
        first_answer_s=None if answer.first_answer_us is None else answer.first_answer_us / 1e6,
        last_token_s=None if answer.last_token_us is None else answer.last_token_us / 1e6,
        output_tokens=answer.output_tokens,
        streamed=answer.streamed,
        finish_reason=answer.finish_reason,
        token_source=answer.token_source,
        failure=answer.failure,
        chunk_us=answer.chunk_us,
    )


def source_word(answer):
    """Where the output count came from, in the words of the cases."""
    return answer.usage_place if answer.token_source is TokenSource.USAGE else "none"


def server_ms(answer, phase):
    """A server time in the cases' unit."""
    seconds = getattr(answer.server, phase, None)
    return None if seconds is None else seconds * 1000


SEEN = {
    "outcome": lambda _, record: OUTCOMES[record.outcome],
    "error_class": lambda answer, _: ERROR_CLASSES[answer.failure.kind] if answer.failure else None,
    "error_class_any_of": lambda answer, _: ERROR_CLASSES[answer.failure.kind] if answer.failure else None,
    "error_message_contains": lambda answer, _: answer.failure.message if answer.failure else None,
    "content": lambda answer, _: answer.text,
    "reasoning": lambda answer, _: answer.reasoning_text,
    "prompt_tokens": lambda answer, _: answer.input_tokens,
    "completion_tokens": lambda answer, _: answer.output_tokens,
    "token_count_source": lambda answer, _: source_word(answer),
    "token_count_source_any_of": lambda answer, _: source_word(answer),
    # Nothing is estimated here, and the source says so; of this sentence only the joined text is judged.
    "completion_tokens_if_estimated": lambda answer, _: (
        f"count of the joined text '{answer.text}', not the sum over chunks"
    ),
    "prompt_ms_server": lambda answer, _: server_ms(answer, "prefill_s"),
    "predicted_ms_server": lambda answer, _: server_ms(answer, "decode_s"),
    "must_warn": None,
    **{
        name: lambda answer, _, name=name: getattr(answer, name)
        for name in (
            "tool_calls", "finish_reason", "done_seen", "data_events", "first_token_event", "first_content_event",
            "first_counted_event", "last_token_event", "output_chunks", "reasoning_tokens", "cached_tokens",
        )
    },
}  # fmt: skip
TIMES = {"ttft_ms", "ttfc_ms", "last_token_ms", "stream_end_ms", "tpot_ms", "mean_chunk_gap_ms"}


def timing_differences(case, answer, times_us):
    """Everything under `expect_timing`, through the product's own metrics."""
    record = record_of(answer)
    gaps = metrics.gaps_s(record)
    seen = {
        "ttft_ms": metrics.ttft_s(record),
        "ttfc_ms": metrics.ttfa_s(record),
        "last_token_ms": metrics.e2e_s(record),
        "stream_end_ms": times_us[-1] / 1e6 if times_us else None,
        "tpot_ms": metrics.tpot_s(record),
        "mean_chunk_gap_ms": sum(gaps) / len(gaps) if gaps else None,
    }
    seen = {name: None if seconds is None else seconds * 1000 for name, seconds in seen.items()}
    return [
        f"{name}: {seen[name]} instead of {wanted}"
        for name, wanted in case.get("expect_timing", {}).items()
        if seen[name] != (wanted if wanted is None else pytest.approx(wanted, rel=1e-6))
    ]


# The findings of a run in the words of the cases; what else they tell of a run is no warning of an answer.
WARNINGS = {
    "chunks_not_tokens": "chunks_not_tokens",
    "no_usage": "token_count_unknown_or_estimated",
    "no_finish_reason": "no_finish_reason",
    "short_answers": "short_output",
    "buffered_stream": "buffered_stream",
    "not_streamed": "not_streamed",
}


def warning_differences(case, answer):
    """The set of warnings must be exact: those of a run of this one answer."""
    if "must_warn" not in case["expect"]:
        return []
    request = case.get("request", {})
    demanded = request.get("min_tokens")
    if request.get("ignore_eos"):
        demanded = request.get("max_completion_tokens", request.get("max_tokens", demanded))
    asked = plan(
        ignore_eos=bool(request.get("ignore_eos")),
        stream=request.get("stream", True),
        extra_body={name: request[name] for name in ("min_tokens",) if name in request},
    )
    found = findings(run([replace(record_of(answer), requested_output_tokens=demanded)], of=asked))
    seen = sorted(WARNINGS[one.kind] for one in found if one.kind in WARNINGS)
    wanted = case["expect"]["must_warn"]
    same = sorted(wanted) == seen and set(wanted) <= set(WARNINGS.values())
    return [] if same else [f"must_warn: {seen} instead of {wanted}"]


# -- kind: http_errors ------------------------------------------------------------------------------------------------


def http_error_differences(case, source):
    """What the errors behind a table of answers have other than expected."""
    told = json.loads(source.read_text())
    expect = case["expect"]
    failures = [
        http_failure(row["status"], row.get("content_type", ""), row["body"].encode(), row.get("retry_after"))
        for row in told
    ]
    found = [f"unknown key {name}" for name in set(expect) - {"all_outcome", "all_error_class", "rows"}]
    for at, failure in enumerate(failures):
        seen = {
            "all_outcome": OUTCOMES[RequestRecord(request_id="case", index=0, failure=failure).outcome],
            "all_error_class": ERROR_CLASSES[failure.kind],
        }
        found += [f"row {at} {name}: {seen[name]}" for name in seen if name in expect and expect[name] != seen[name]]
    rows = [row.get("row") for row in expect.get("rows", [])]
    if rows and rows != list(range(len(told))):
        found.append(f"rows {rows} instead of all {len(told)}")
        return found
    for row in expect.get("rows", []):
        found += row_differences(row, failures[row["row"]], told[row["row"]])
        if "silent_retry_allowed" in row and row["silent_retry_allowed"] != sent_twice(told[row["row"]]):
            found.append(f"row {row['row']}: a measured run sends it twice, or was expected to")
    return found


def sent_twice(answer):
    """Whether a measured run asks more often than it records, where a server gives this answer to everything."""
    data = (
        f"HTTP/1.1 {answer['status']} X\r\nContent-Type: {answer.get('content_type', '')}\r\nConnection: close\r\n"
        f"Retry-After: {answer.get('retry_after', 0)}\r\nContent-Length: {len(answer['body'].encode())}\r\n\r\n"
    ).encode() + answer["body"].encode()

    async def sent():
        async with scripted(answers(data, close=True)) as server:
            records = await measured(plan_for(server.port, requests=ASKED))
            assert len(records) == ASKED
            return sum(asked.head.startswith(b"POST") for asked in server.asked)

    return asyncio.run(sent()) != ASKED


def row_differences(row, failure: Failure, answer):
    """One answer's error."""
    found = [
        f"row {row['row']}: unknown key {name}"
        for name in set(row) - {"row", "message_contains", "retry_param_change", "silent_retry_allowed"}
    ]
    if not row.get("message_contains", "-") or row.get("message_contains", "") not in failure.message:
        found.append(f"row {row['row']}: {failure.message!r} instead of {row.get('message_contains')!r}")
    change = parameter_change(answer["status"], answer["body"].encode())
    if row.get("retry_param_change", change) != change:
        found.append(f"row {row['row']}: {change!r} instead of {row['retry_param_change']!r}")
    said = str(answer.get("retry_after", ""))
    if failure.retry_after_s != (float(said) if said.isdigit() else None):
        found.append(f"row {row['row']}: Retry-After read as {failure.retry_after_s}")
    return found


CHECKS = {"sse": sse_differences, "http_errors": http_error_differences}
