"""The server's own token counts: each server's words for them, and the lengths of pieces found with few questions."""

import asyncio
import re

import orjson
import pytest

from core.loadgen import tokenizing
from core.loadgen.dialling import Dialler
from core.loadgen.known_texts import known_texts
from core.loadgen.lookup import Lookup
from core.loadgen.tokenizing import Tokenizing, counted
from core.probing.page import Page
from tests.core.loadgen.scripted import plan_for, scripted


def page(body: bytes, status: int = 200) -> Page:
    return Page(path="/tokenize", status=status, headers={"content-type": "application/json"}, body=body)


@pytest.mark.parametrize(
    ("body", "tokens"),
    [
        (b'{"tokens":[1,2,3]}', 3),  # llama.cpp
        (b'{"count":2,"max_model_len":4096,"tokens":[5,6]}', 2),  # vLLM
        (b'[{"id":1,"text":"a"},{"id":2,"text":"b"}]', 2),  # TGI
        (b'{"tokens":7}', None),
        (b'{"count":true}', None),
        (b'"three"', None),
        (b"no JSON", None),
    ],
)
def test_each_server_s_answer_is_a_count_or_nothing(body, tokens):
    assert counted(page(body)) == tokens


def test_a_refusal_is_no_count():
    assert counted(page(b'{"tokens":[1]}', status=404)) is None


def tokens_of(text: str) -> int:
    """A tokenizer of a test: words with their blank, line ends and single other characters; long words are two."""
    return sum(2 if len(part) > 11 else 1 for part in re.findall(r" ?[a-z]+|\n|[^a-z]", text))


def telling(count, asked):
    async def answer(request, writer):
        body = orjson.loads(request.body)
        asked.append(body)
        told = orjson.dumps({"tokens": [0] * count(body["content"])})
        writer.write(
            b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n%b" % (len(told), told)
        )

    return answer


def asking(port: int) -> Tokenizing:
    endpoint = plan_for(port).configuration.endpoint
    return Tokenizing(Lookup(endpoint, Dialler(asyncio.get_running_loop(), endpoint), None), "m")


async def test_pieces_have_the_tokens_that_they_add():
    asked: list = []
    async with scripted(telling(tokens_of, asked), tokenizes=True) as server:
        found = await asking(server.port).pieces([f" {word}" for word in ("one", "extraordinary", "two", "three")])

    assert found is not None
    assert {piece.text.strip(): piece.tokens for piece in found} == {"one": 1, "extraordinary": 2, "two": 1, "three": 1}
    assert all(body["model"] == "m" and body["add_special"] is False for body in asked)


async def test_where_lengths_do_not_add_up_nothing_is_claimed():
    async with scripted(telling(lambda text: len(text) ** 2 // 9, []), tokenizes=True) as server:
        assert await asking(server.port).pieces([" one", " twenty", " three"]) is None


async def test_a_server_that_does_not_count_or_does_not_answer_is_left_in_time(monkeypatch):
    monkeypatch.setattr(tokenizing, "WITHIN_S", 0.2)

    async def silent(*_):
        await asyncio.sleep(3600)

    async def unknown(_asked, writer):
        writer.write(b"HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n")

    for script in (silent, unknown):
        async with scripted(script, tokenizes=True) as server:
            assert await asking(server.port).pieces([" one"]) is None


@pytest.mark.parametrize("language", ["english", "code", "mixed"])
async def test_texts_of_a_language_are_known_where_the_server_counts(language):
    asked: list = []
    async with scripted(telling(tokens_of, asked), tokenizes=True) as server:
        known = await known_texts(asking(server.port), language)

    assert known is not None
    assert all(tokens_of(word) == 1 for word in known.words)
    assert all(tokens_of(piece.text) == piece.tokens for piece in known.pieces)
    assert len(asked) < 500


async def test_a_tokenizer_that_counts_nearly_every_word_double_makes_nothing_known():
    async with scripted(telling(lambda text: 2 * tokens_of(text), []), tokenizes=True) as server:
        assert await known_texts(asking(server.port), "english") is None
