"""Raw answers of real engines, in any cut, against what a person reads in them."""

import json
from itertools import accumulate, pairwise

import httptools
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core.records import Outcome, RequestRecord, TokenSource
from core.wire.openai import StreamDecoder
from tests.recordings.expected import EXPECTED, FOLDER


class Reader:
    """HTTP framing around the decoder, as a connection has it."""

    def __init__(self):
        self.parser = httptools.HttpResponseParser(self)
        self.content_type = ""
        self.decoder = None
        self.complete = False
        self.at_us = 0

    def on_header(self, name, value):
        if name.lower() == b"content-type":
            self.content_type = value.decode("latin-1")

    def on_headers_complete(self):
        self.decoder = StreamDecoder(status=self.parser.get_status_code(), content_type=self.content_type)

    def on_body(self, body):
        self.decoder.feed(self.at_us, body)

    def on_message_complete(self):
        self.complete = True


def answer(raw, cuts, times_us=None):
    """The answer behind raw bytes that are read in these pieces."""
    reader = Reader()
    edges = [0, *cuts, len(raw)]
    for number, (start, stop) in enumerate(pairwise(edges)):
        reader.at_us = times_us[number] if times_us else 0
        reader.parser.feed_data(raw[start:stop])
    return reader.decoder.finish(complete=reader.complete), reader


def check(found, expected):
    """Everything that the table says of an answer."""
    record = RequestRecord(request_id="recorded", index=0, failure=found.failure)
    assert record.outcome is expected.outcome
    assert (found.failure.kind if found.failure else None) is expected.kind
    assert (found.failure.status if found.failure else 200) == expected.status
    message = found.failure.message if found.failure else None
    assert message.startswith(expected.message) if expected.message_begins else message == expected.message
    counts = (found.input_tokens, found.output_tokens, found.cached_tokens, found.reasoning_tokens)
    assert counts == (expected.input_tokens, expected.output_tokens, expected.cached_tokens, None)
    assert (found.token_source is TokenSource.USAGE) == (expected.output_tokens is not None)
    assert (found.text, found.reasoning_text, found.tool_calls) == (expected.text, "", [])
    assert (found.finish_reason, found.done_seen, found.model) == (
        expected.finish_reason,
        expected.done,
        expected.model,
    )
    assert (found.data_events, found.output_chunks, len(found.chunk_us)) == (
        expected.events,
        expected.chunks,
        expected.chunks,
    )
    assert (found.first_token_event, found.first_content_event) == (expected.first_chunk, expected.first_chunk)
    assert found.streamed == expected.streamed
    assert getattr(found.server, "prefill_s", None) == pytest.approx(expected.prefill_s)
    assert getattr(found.server, "decode_s", None) == pytest.approx(expected.decode_s)


@pytest.mark.parametrize("name", EXPECTED)
def test_a_recorded_answer_means_what_a_person_reads_in_it(name):
    raw = (FOLDER / f"{name}.http").read_bytes()

    found, reader = answer(raw, [])

    check(found, EXPECTED[name])
    assert reader.complete == EXPECTED[name].whole


@pytest.mark.parametrize("name", EXPECTED)
@pytest.mark.parametrize("size", [1, 3, 97])
def test_small_reads_give_the_same_answer(name, size):
    raw = (FOLDER / f"{name}.http").read_bytes()[:20_000]

    found, _ = answer(raw, range(size, len(raw), size))

    assert found == answer(raw, [])[0]


@given(data=st.data())
@settings(deadline=None, max_examples=200)
def test_any_cut_gives_the_same_answer(data):
    name = data.draw(st.sampled_from(sorted(EXPECTED)))
    raw = (FOLDER / f"{name}.http").read_bytes()
    cuts = data.draw(st.lists(st.integers(1, len(raw) - 1), unique=True, max_size=30).map(sorted))

    check(answer(raw, cuts)[0], EXPECTED[name])


@pytest.mark.parametrize("name", [name for name, expected in EXPECTED.items() if expected.chunks])
def test_chunks_have_the_times_of_the_reads_that_brought_them(name):
    raw = (FOLDER / f"{name}.http").read_bytes()
    reads = json.loads((FOLDER / f"{name}.json").read_text())["reads_ms_bytes"]
    ends, kept = list(accumulate(size for _, size in reads)), len(raw)
    cuts = [end for end in ends if end < kept]
    times_us = [round(at_ms * 1000) for at_ms, _ in reads][: len(cuts) + 1]

    found, _ = answer(raw, cuts, times_us)

    assert list(found.chunk_us) == sorted(found.chunk_us)
    assert set(found.chunk_us) <= set(times_us)
    assert found.first_answer_us == found.chunk_us[0]
    assert found.last_token_us == found.chunk_us[-1]


def test_every_recording_is_expected():
    recorded = {path.stem for path in FOLDER.glob("*.http")}

    assert recorded == set(EXPECTED)
    assert {expected.outcome for expected in EXPECTED.values()} == {Outcome.OK, Outcome.FAILED}
