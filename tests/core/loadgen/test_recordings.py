"""Raw answers of real engines, served back byte for byte, go through the same connection and wire code as any run."""

import pytest

from tests.core.loadgen.scripted import answers, measured, plan_for, scripted
from tests.recordings.expected import EXPECTED, FOLDER


def test_every_recording_has_its_meaning_written_down():
    assert sorted(path.stem for path in FOLDER.glob("*.http")) == sorted(EXPECTED)


@pytest.mark.parametrize("name", sorted(EXPECTED))
async def test_a_recorded_answer_means_what_was_read_off_it(name):
    wanted = EXPECTED[name]
    raw = (FOLDER / f"{name}.http").read_bytes()
    async with scripted(answers(raw, close=True)) as server:
        (record,) = await measured(plan_for(server.port), reuse=False)

    assert record.outcome == wanted.outcome, record.failure
    assert (record.failure.kind if record.failure else None) == wanted.kind
    if wanted.message is not None:
        assert record.failure.message.startswith(wanted.message)
        assert wanted.message_begins or record.failure.message == wanted.message
    if wanted.outcome == "ok":
        assert record.text == wanted.text
        assert record.finish_reason == wanted.finish_reason
        assert (record.input_tokens, record.output_tokens) == (wanted.input_tokens, wanted.output_tokens)
        assert record.streamed == wanted.streamed
        assert (record.first_token_s is not None) == wanted.streamed
    assert len(record.chunk_us) == wanted.chunks
