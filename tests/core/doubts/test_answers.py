"""Doubts about what came back: each with a run that shows it and one almost the same that does not."""

from dataclasses import replace

import pytest

from core.doubts.answers import (
    chunk_doubts,
    count_doubts,
    finish_doubts,
    greyed_by_counts,
    impossible_doubts,
    length_doubts,
    overlong_doubts,
    stream_doubts,
)
from core.doubts.evidence import evidence
from core.records import TokenSource
from core.run import Preflight
from tests.core.example_runs import answered, failed, plan, run, steady, whole


def told(doubts, requests, of=None, **rest):
    """What these doubts say of a run."""
    return list(doubts(evidence(run(requests, of=of, **rest))))


def with_one_in(count: int, every: int, odd, usual):
    """`count` requests, the first of each `every` made by `odd`."""
    return [(odd if index % every == 0 else usual)(index, sent=float(index)) for index in range(count)]


def test_chunks_that_hold_several_tokens_take_the_name_itl_away():
    (found,) = told(chunk_doubts, with_one_in(20, 10, lambda i, **k: answered(i, tokens=30, **k), answered))

    assert (found.kind, found.level) == ("chunks_not_tokens", "note")
    assert "2 of 20 answers" in found.what
    assert "3 tokens on average" in found.what


def test_one_token_more_than_chunks_is_the_end_token():
    assert told(chunk_doubts, [answered(0, tokens=11)]) == []
    assert told(chunk_doubts, [answered(0, tokens=12)])[0].kind == "chunks_not_tokens"


def test_one_such_answer_in_twenty_does_not():
    assert told(chunk_doubts, with_one_in(20, 20, lambda i, **k: answered(i, tokens=30, **k), answered)) == []


def test_answers_without_a_count_are_told_as_no_usage():
    (found,) = told(count_doubts, [answered(0, tokens=None), answered(1)])

    assert (found.kind, found.level) == ("no_usage", "act")
    assert "1 of 2 answers" in found.what


def test_answers_that_a_tokenizer_counted_are_told_more_quietly():
    (found,) = told(count_doubts, [answered(0, token_source=TokenSource.TOKENIZER)])

    assert (found.kind, found.level) == ("no_usage", "note")


def test_answers_that_the_server_counted_are_not_doubted():
    assert told(count_doubts, [answered(0), answered(1)]) == []


@pytest.mark.parametrize(
    ("odd", "sound", "example"),
    [
        ({"tokens": 999_999_999, "asked": 64}, {"tokens": 1_000, "asked": 64}, "999,999,999 tokens in 10 chunks"),
        ({"tokens": 1_001, "asked": 64}, {"tokens": 1_001, "asked": 1_000}, "1,001 tokens in 10 chunks"),
        ({"tokens": 0, "asked": 64}, {"tokens": 1, "asked": 64}, "0 tokens in 10 chunks"),
        ({"tokens": 6_401, "asked": 64, "gaps": ()}, {"tokens": 6_400, "asked": 64, "gaps": ()},
         "6,401 tokens in one piece"),
        ({"reasoning_tokens": 11}, {"reasoning_tokens": 10}, "11 reasoning tokens among 10 output tokens"),
        ({"cached_tokens": 21}, {"cached_tokens": 20}, "21 cached tokens among 20 input tokens"),
    ],
)  # fmt: skip
def test_counts_that_cannot_be_are_told_and_those_that_just_can_be_are_not(odd, sound, example):
    (found,) = told(impossible_doubts, [answered(0), answered(1, **odd)])

    assert (found.kind, found.level) == ("impossible_counts", "act")
    assert found.what == f"1 of 2 answers have token counts that cannot be, such as {example}."
    assert told(impossible_doubts, [answered(0), answered(1, **sound)]) == []


def test_no_other_advice_is_given_on_answers_whose_counts_cannot_be():
    lying = [answered(index, tokens=999_999_999, asked=64) for index in range(4)]

    assert told(overlong_doubts, lying) == told(chunk_doubts, lying) == []


def test_what_is_computed_from_a_count_that_cannot_be_is_grey_and_nothing_else():
    def grey(**rest):
        return {metric for metric, _ in greyed_by_counts(evidence(run([answered(0), answered(1, **rest)])))}

    speeds = {"tpot_s", "decode_tps", "e2e_tps", "output_tokens"}
    throughput = {"output_tokens_per_s", "total_tokens_per_s", "peak_output_tokens_per_s"}

    assert grey() == set()
    assert grey(tokens=999_999_999, asked=64) == grey(reasoning_tokens=11) == speeds | throughput
    assert grey(cached_tokens=21) == {"input_tokens", "cached_tokens"}


def test_a_finding_on_counts_claims_grey_numbers_only_where_there_are_some():
    (output,) = told(impossible_doubts, [answered(0, reasoning_tokens=11)])
    (cached,) = told(impossible_doubts, [answered(0, cached_tokens=21)])

    assert "greyed" in output.why
    assert "greyed" not in cached.why


def test_few_tokens_are_told_in_the_words_for_few():
    def held(tokens, chunks):
        (found,) = told(chunk_doubts, [answered(0, tokens=tokens, gaps=(0.01,) * (chunks - 1))])
        return found.what.partition("a chunk holds ")[2]

    assert held(1, 300) == "0.0033 tokens on average."
    assert held(1_002, 1_000) == "1 token on average."
    assert told(length_doubts, [answered(0, tokens=1, asked=64)])[0].what.startswith("Answers had 1 token on average")


def test_answers_that_do_not_say_why_they_ended_are_told():
    (found,) = told(finish_doubts, [answered(0, finish_reason=None), answered(1, finish_reason=""), answered(2)])

    assert (found.kind, found.level) == ("no_finish_reason", "note")
    assert found.what == "2 of 3 answers ended without a finish reason."
    assert told(finish_doubts, [answered(0, finish_reason="stop"), failed(1)]) == []


def test_answers_5_percent_below_the_length_asked_for_are_short():
    (found,) = told(length_doubts, [answered(0, gaps=(0.1,) * 93, asked=100), answered(1, gaps=(0.1,) * 95, asked=100)])

    assert (found.kind, found.level) == ("short_answers", "note")
    assert "95 tokens on average, 5 % fewer than the 100 asked for" in found.what


def test_answers_4_percent_below_are_not():
    assert (
        told(length_doubts, [answered(0, gaps=(0.1,) * 93, asked=100), answered(1, gaps=(0.1,) * 97, asked=100)]) == []
    )


def test_one_short_answer_is_enough_where_the_length_was_demanded():
    made = [*steady(19), answered(19, sent=9.0, gaps=(0.01,) * 4, asked=10)]

    (found,) = told(length_doubts, made, plan(ignore_eos=True))

    assert (found.kind, found.level) == ("short_answers", "act")
    assert "1 of 20 answers" in found.what
    assert told(length_doubts, made, plan()) == []
    assert told(length_doubts, made, plan(ignore_eos=True), preflight=Preflight(ignore_eos=False)) == []
    assert told(length_doubts, steady(20), plan(ignore_eos=True)) == []


def test_answers_longer_than_asked_are_told_and_one_end_token_more_is_not():
    (found,) = told(overlong_doubts, [answered(0, tokens=12, asked=10), answered(1)])

    assert found.kind == "max_tokens_not_obeyed"
    assert "1 of 2 answers" in found.what
    assert told(overlong_doubts, [answered(0, tokens=11, asked=10)]) == []


def test_a_preflight_that_saw_a_longer_answer_is_told():
    assert (
        told(overlong_doubts, steady(2), preflight=Preflight(max_tokens_obeyed=False))[0].kind
        == "max_tokens_not_obeyed"
    )
    assert told(overlong_doubts, steady(2), preflight=Preflight(max_tokens_obeyed=True)) == []


def test_answers_in_one_piece_are_told_and_more_quietly_where_no_stream_was_asked_for():
    (found,) = told(stream_doubts, [whole(0), answered(1)])
    (asked,) = told(stream_doubts, [whole(0)], plan(stream=False))

    assert (found.kind, found.level) == ("not_streamed", "act")
    assert "1 of 2 answers" in found.what
    assert asked.level == "note"
    assert told(stream_doubts, [answered(0), answered(1)]) == []


def test_a_stream_let_go_at_once_is_buffered():
    (found,) = told(stream_doubts, steady(5, first=2.0, gaps=(0.001,) * 9))

    assert (found.kind, found.level) == ("buffered_stream", "stop")
    assert "5 of 5 answers" in found.what
    assert "within 9 ms after a wait of 2,000 ms" in found.what


@pytest.mark.parametrize(
    ("base_url", "blamed"), [("http://127.0.0.1:8000/v1", False), ("https://gpu.example/v1", True)]
)
def test_no_proxy_is_blamed_for_a_server_on_this_machine(base_url, blamed):
    of = plan()
    endpoint = replace(of.configuration.endpoint, base_url=base_url)
    of = replace(of, configuration=replace(of.configuration, endpoint=endpoint))

    (held_back,) = told(stream_doubts, steady(5, first=2.0, gaps=(0.001,) * 9), of)
    (in_one_piece,) = told(stream_doubts, [whole(0), answered(1)], of)

    for found in (held_back, in_one_piece):
        assert ("proxy" in found.text) is blamed
        assert "server" in found.do or blamed


def test_a_stream_whose_decoding_takes_a_tenth_of_the_wait_is_not():
    assert told(stream_doubts, steady(5, first=2.0, gaps=(0.02,) * 9)) == []


def test_a_queue_is_no_buffer():
    # The first in the queue streams soundly; the others wait long for just as sound a stream.
    made = [answered(index, first=0.1 + index * 0.1, gaps=(0.01,) * 9) for index in range(40)]

    assert told(stream_doubts, made) == []
