"""Prompts: unique from the start, seeded, about as long as asked."""

import orjson
from hypothesis import given
from hypothesis import strategies as st

from core.loadgen.exchange import Exchange
from core.loadgen.pieces import Piece
from core.loadgen.prompts import Known, Prompts, Shape
from core.loadgen.vocabulary import WORDS
from core.trace import Rows
from tests.core.loadgen.scripted import plan_for


def prompts(tag: str = "run", shape: Shape | None = None, **plan) -> Prompts:
    return Prompts(plan_for(80, **plan), tag=tag, key_header=("Authorization", "Bearer k%ey"), shape=shape or Shape())


def test_the_same_plan_and_tag_give_the_same_bytes():
    assert prompts().prepare(5).payload == prompts().prepare(5).payload


@given(st.integers(0, 80_000), st.integers(0, 80_000), st.booleans(), st.booleans())
def test_no_two_requests_of_a_run_begin_alike(one, other, one_warm, other_warm):
    made = prompts()
    same = (one, one_warm) == (other, other_warm)

    first = made.prompt(one, warmup=one_warm).split()[:2]
    second = made.prompt(other, warmup=other_warm).split()[:2]

    assert (first == second) == same or (one - other) % (len(WORDS) ** 2 // 2) == 0


def test_two_runs_share_no_prompt():
    assert prompts("a").prompt(0, warmup=False) != prompts("b").prompt(0, warmup=False)


def test_a_prompt_has_a_word_a_token_less_what_the_template_adds():
    plain = prompts(input_tokens=100).prompt(0, warmup=False)
    within = prompts(input_tokens=100, shape=Shape(overhead_tokens=30)).prompt(0, warmup=False)
    coarse = prompts(input_tokens=100, shape=Shape(tokens_per_word=2)).prompt(0, warmup=False)

    assert [len(text.split()) for text in (plain, within, coarse)] == [100, 70, 50]


def test_a_prompt_shorter_than_its_nonce_is_the_nonce():
    assert len(prompts(input_tokens=1).prompt(0, warmup=False).split()) == 6


def test_the_request_names_its_length_its_id_and_its_key():
    prepared = prompts().prepare(7)
    head, _, body = prepared.payload.partition(b"\r\n\r\n")

    assert f"Content-Length: {len(body)}".encode() in head
    assert b"X-Request-Id: run-r7" in head
    assert b"Authorization: Bearer k%ey" in head  # a percent sign survives
    assert orjson.loads(body)["model"] == "m"


def test_a_shape_changes_one_thing_for_one_complaint():
    shape = Shape(ignore_eos=True)

    assert shape.changed("drop ignore_eos") == Shape()
    assert shape.changed("use max_completion_tokens").token_parameter == "max_completion_tokens"
    assert shape.changed("paint it green") is None


def test_long_prompts_are_as_long_and_as_different_as_short_ones():
    made = prompts(input_tokens=20_000)
    texts = [made.prompt(index, warmup=False) for index in range(3)]

    assert [len(text.split()) for text in texts] == [20_000] * 3
    assert len({text[:5000] for text in texts}) == 3
    assert prompts(input_tokens=20_000).prompt(1, warmup=False) == texts[1]


def test_rows_of_a_trace_give_measured_requests_their_lengths_and_warm_up_the_workloads():
    rows = Rows.of([(0.0, 40, 3), (1.0, 900, 70)])
    made = Prompts(plan_for(80, input_tokens=12, output_tokens=9), tag="t", key_header=None, shape=Shape(), rows=rows)

    found = [made.prepare(0), made.prepare(1), made.prepare(0, warmup=True)]

    assert [(one.input_tokens, one.output_tokens) for one in found] == [(40, 3), (900, 70), (12, 9)]
    bodies = [orjson.loads(one.payload.split(b"\r\n\r\n", 1)[1]) for one in found]
    assert [body["max_tokens"] for body in bodies] == [3, 70, 9]
    assert [len(body["messages"][0]["content"].split()) for body in bodies] == [40, 900, 12]


def test_a_request_knows_the_address_that_a_redirect_of_its_answer_starts_from():
    prepared = prompts().prepare(0)
    base_url = plan_for(80).configuration.endpoint.base_url
    exchange = Exchange(prepared, ended=lambda _: None)
    exchange.message.feed(1, b"HTTP/1.1 307 Temporary Redirect\r\nLocation: /v2/models\r\nContent-Length: 0\r\n\r\n")

    assert prepared.url == f"{base_url}/chat/completions"
    failure = exchange.message.failure(None)
    assert failure is not None
    assert f"redirects to {base_url.removesuffix('/v1')}/v2: use that address" in failure.message


KNOWN = Known(
    pieces=tuple(Piece(text=f" {word}", tokens=1) for word in WORDS[:40]), firsts=WORDS[:200], words=WORDS[:200]
)  # a text of it has one token a word


def sent(**given):
    shape = Shape(**{"known": KNOWN, "overhead_tokens": 31.0, "overhead_is_counted": True} | given.pop("shape", {}))
    return [prompts(shape=shape, **given).prepare(index).sent_tokens for index in range(20)]


def test_a_prompt_whose_parts_were_counted_knows_its_length():
    made = prompts(input_tokens=100, shape=Shape(known=KNOWN, overhead_tokens=31.0, overhead_is_counted=True))

    assert sent(input_tokens=100) == [100] * 20
    assert all(len(made.prompt(index, warmup=False).split()) == 69 for index in range(20))
    assert sent(input_tokens=20) == [37] * 20  # the template and the nonce alone


def test_a_prompt_of_parts_that_nobody_counted_claims_no_length():
    assert set(sent(input_tokens=100, shape={"known": None})) == {None}
    assert set(sent(input_tokens=100, shape={"overhead_is_counted": False})) == {None}
    assert set(sent(input_tokens=100, nonce=False)) == {None}
