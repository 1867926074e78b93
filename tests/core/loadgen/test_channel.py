"""What goes through the pipe comes out the same."""

from array import array
from dataclasses import replace

import orjson
from hypothesis import given
from hypothesis import strategies as st

from core.loadgen import channel
from core.loadgen.channel import Job
from core.records import Failure, FailureKind, RequestRecord, ServerTimes, TokenSource
from core.trace import Rows
from tests.core.loadgen.scripted import plan_for

times = st.none() | st.floats(0, 1e6, allow_nan=False)
counts = st.none() | st.integers(0, 2**31)
words = st.text(st.characters(exclude_categories=["Cs"]))
texts = st.none() | words
records = st.builds(
    RequestRecord,
    request_id=words,
    index=st.integers(0, 10**6),
    warmup=st.booleans(),
    sent_s=times,
    first_token_s=times,
    last_token_s=times,
    ended_s=times,
    output_tokens=counts,
    token_source=st.sampled_from(TokenSource),
    failure=st.none() | st.builds(Failure, kind=st.sampled_from(FailureKind), message=words, status=counts),
    server=st.none() | st.builds(ServerTimes, prefill_s=times, decode_s=times),
    streamed=st.booleans(),
    chunk_us=st.lists(st.integers(0, 2**31 - 1)).map(lambda found: array("i", found)),
    text=texts,
)


@given(records)
def test_a_record_survives_the_pipe(record):
    line = channel.dump_record(record)

    assert line.count(b"\n") == 1
    assert channel.load_record(orjson.loads(line)["record"]) == record


def test_chunk_times_travel_as_bytes_and_not_as_numbers():
    record = RequestRecord(request_id="r", index=0, chunk_us=array("i", range(1_000_000, 1_010_000)))

    assert len(channel.dump_record(record)) < 6 * 10_000
    assert channel.load_record(
        orjson.loads(channel.dump_record(replace(record, chunk_us=range(3))))["record"]
    ).chunk_us == array("i", [0, 1, 2])


def test_a_job_survives_the_pipe_and_never_shows_its_key():
    job = Job(run_id="r", plan=plan_for(80, extra_body={"a": [1]}), key_header=("Authorization", "Bearer geheim"))

    assert channel.load_job(channel.dump_job(job)) == job
    assert "geheim" not in repr(job)


def test_progress_and_preflight_survive_the_pipe():
    progress = {"at_s": 1.0, "sent": 2, "ended": 1, "in_flight": 1, "warming_up": False, "chunks": 9,
                "first_tokens": [[0.5, 0.1]], "lag_p99_s": None,
                "machine_busy_share": 0.5}  # fmt: skip

    assert channel.load_progress(progress).first_tokens == ((0.5, 0.1),)
    assert channel.load_preflight({"changes": ["drop stream_options"]}).changes == ("drop stream_options",)


def test_the_rows_of_a_trace_travel_with_the_job():
    rows = Rows.of([(place / 7, 100 + place, 5) for place in range(5000)])
    job = Job(run_id="r", plan=plan_for(80), rows=rows)
    line = channel.dump_job(job)

    assert line.count(b"\n") == 1
    assert channel.load_job(line).rows.digest == rows.digest
    assert channel.load_job(channel.dump_job(Job(run_id="r", plan=plan_for(80)))).rows is None
