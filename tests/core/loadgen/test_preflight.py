"""Tiny requests before a run find what an endpoint accepts; each answer is written by hand."""

import asyncio
import re

import orjson
import pytest

from core.loadgen import leaving
from core.loadgen.preflight import CHANGED, Preflighter
from core.loadgen.prompts import Shape
from tests.core.loadgen.scripted import CHUNKED, FINISH, answers, chunk, event, plan_for, scripted, stream, usage


def refusal(status: int, message: str) -> bytes:
    body = orjson.dumps({"error": {"message": message}})
    return b"HTTP/1.1 %d X\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n" % (status, len(body)) + body


def page(found) -> bytes:
    body = orjson.dumps(found)
    return b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n" % len(body) + body


async def preflight(port: int, **plan):
    plan = plan_for(port, **plan)
    return await Preflighter(plan, tag="t", key_header=None).run()


async def test_an_ordinary_endpoint_streams_counts_and_obeys():
    async with scripted(answers(stream("a", "b"))) as server:
        found, shape = await preflight(server.port)

    assert (found.streams, found.usage, found.max_tokens_obeyed, found.keeps_connection) == (True, True, True, True)
    assert found.changes == ()
    assert found.failure_message is None
    assert shape.token_parameter == "max_tokens"


async def test_an_endpoint_that_ignores_the_limit_is_found_out():
    async with scripted(answers(stream(*"abcdefghijkl"))) as server:
        found, _ = await preflight(server.port)

    assert found.max_tokens_obeyed is False


async def test_a_server_that_closes_after_an_answer_is_found_out():
    async with scripted(answers(stream("a"), close=True)) as server:
        found, _ = await preflight(server.port)

    assert found.keeps_connection is False


@pytest.mark.parametrize(
    ("parameter", "complaint", "change"),
    [
        ("stream_options", "Unknown parameter: stream_options", "drop stream_options"),
        (
            "max_tokens",
            "Unsupported parameter: 'max_tokens' is not supported here. Use 'max_completion_tokens' instead.",
            "use max_completion_tokens",
        ),
    ],
)
async def test_a_refused_parameter_is_changed_once_and_told(parameter, complaint, change):
    async def script(asked, writer):
        writer.write(refusal(400, complaint) if parameter in orjson.loads(asked.body or b"{}") else stream("a"))

    async with scripted(script) as server:
        found, _ = await preflight(server.port)

    assert found.changes == (CHANGED[change],)
    assert found.failure_message is None
    assert sum(asked.head.startswith(b"POST") for asked in server.asked) == 2


async def test_a_parameter_refused_inside_a_200_is_changed_too():
    refused = chunk(b'data: {"error":{"message":"Unknown parameter: stream_options"}}\n\n')

    async def script(asked, writer):
        asks = "stream_options" in orjson.loads(asked.body or b"{}")
        writer.write(CHUNKED + refused + b"0\r\n\r\n" if asks else stream("a"))

    async with scripted(script) as server:
        found, _ = await preflight(server.port)

    assert found.changes == (CHANGED["drop stream_options"],)


async def test_two_parameters_can_be_refused_one_after_the_other():
    async def script(asked, writer):
        body = orjson.loads(asked.body or b"{}")
        if "stream_options" in body:
            writer.write(refusal(422, "Extra inputs are not permitted: stream_options"))
        elif "max_tokens" in body:
            writer.write(refusal(400, "Unsupported parameter: 'max_tokens'. Use 'max_completion_tokens' instead."))
        else:
            writer.write(stream("a"))

    async with scripted(script) as server:
        found, shape = await preflight(server.port)

    assert set(found.changes) == {CHANGED["drop stream_options"], CHANGED["use max_completion_tokens"]}
    assert shape.stream_options is False


async def test_a_complaint_that_a_change_does_not_cure_is_the_end():
    async with scripted(answers(refusal(400, "Unknown parameter: stream_options"))) as server:
        found, _ = await preflight(server.port)

    assert "stream_options" in found.failure_message
    assert found.changes == (CHANGED["drop stream_options"],)


async def test_a_refused_key_names_itself_and_the_host():
    async with scripted(answers(refusal(401, "Incorrect API key"))) as server:
        found, _ = await preflight(server.port, key_name="LAB_KEY")

    assert "LAB_KEY" in found.failure_message
    assert f"127.0.0.1:{server.port}" in found.failure_message
    assert "Incorrect API key" in found.failure_message


async def test_an_unknown_model_is_told_with_those_that_exist():
    async def script(asked, writer):
        if asked.head.startswith(b"GET /v1/models"):
            writer.write(page({"data": [{"id": "qwen"}, {"id": "llama"}]}))
        else:
            writer.write(refusal(404, "The model `m` does not exist."))

    async with scripted(script) as server:
        found, _ = await preflight(server.port)

    assert "does not exist" in found.failure_message
    assert "qwen, llama" in found.failure_message


async def test_a_passing_trouble_is_asked_once_more():
    turns = iter([refusal(503, "warming up"), *[stream("a")] * 5])

    async def script(asked, writer):
        writer.write(next(turns) if asked.head.startswith(b"POST") else b"HTTP/1.1 404 X\r\nContent-Length: 0\r\n\r\n")

    async with scripted(script) as server:
        found, _ = await preflight(server.port)

    assert found.failure_message is None


async def test_the_chat_template_s_tokens_are_taken_off_the_prompt():
    answer = CHUNKED + chunk(event("a") + FINISH + usage(54, 1)) + b"0\r\n\r\n"
    async with scripted(answers(answer)) as server:
        _, shape = await preflight(server.port)

    assert shape == Shape(overhead_tokens=30.0)  # 24 words were sent, 54 tokens counted


async def test_the_template_is_counted_where_the_server_counts_texts():
    """Each word and each line's end is a token, and the template puts 17 around the question."""

    def tokens(text):
        return len(re.findall(r"\S+|\n", text))

    async def script(asked, writer):
        if asked.head.startswith(b"POST /tokenize "):
            writer.write(page({"tokens": [0] * tokens(orjson.loads(asked.body)["content"])}))
        elif asked.head.startswith(b"POST"):
            counted = tokens(orjson.loads(asked.body)["messages"][-1]["content"]) + 17
            writer.write(CHUNKED + chunk(event("a") + FINISH + usage(counted, 1)) + b"0\r\n\r\n")
        else:
            writer.write(b"HTTP/1.1 404 X\r\nContent-Length: 0\r\n\r\n")

    async with scripted(script, tokenizes=True) as server:
        found, shape = await preflight(server.port)

    assert found.template_tokens == 17
    assert (shape.overhead_tokens, shape.overhead_is_counted) == (17.0, True)


async def test_a_template_that_is_only_guessed_is_not_told():
    async with scripted(answers(CHUNKED + chunk(event("a") + FINISH + usage(54, 1)) + b"0\r\n\r\n")) as server:
        found, _ = await preflight(server.port)

    assert found.template_tokens is None


class Slots:
    """A server with one slot: tells whether it works, and goes on or not when its client leaves."""

    def __init__(self, *, stops: bool, each_s: float = 0.005) -> None:
        self.stops, self.each_s = stops, each_s
        self.busy, self.asked_tokens = False, []
        self._working = []

    async def __call__(self, asked, writer) -> None:
        if asked.head.startswith(b"GET /slots"):
            writer.write(page([{"is_processing": self.busy}]))
        elif asked.head.startswith(b"GET"):
            writer.write(b"HTTP/1.1 404 X\r\nContent-Length: 0\r\n\r\n")
        else:
            tokens = orjson.loads(asked.body)["max_tokens"]
            self.asked_tokens.append(tokens)
            self._working.append(asyncio.create_task(self._work(tokens, writer)))
            if self.stops or len(self.asked_tokens) == 1:
                await self._working[-1]

    async def _work(self, tokens, writer) -> None:
        self.busy = True
        until_s = asyncio.get_running_loop().time() + (0 if self.stops or tokens < 10 else 2.0)
        try:
            writer.write(CHUNKED)
            for _ in range(tokens):
                if not writer.is_closing():
                    writer.write(chunk(event("a")))
                    await writer.drain()
                elif self.stops:
                    return
                await asyncio.sleep(self.each_s)
            writer.write(chunk(FINISH) + b"0\r\n\r\n")
            while asyncio.get_running_loop().time() < until_s:  # as long as it was asked to take, however busy we are
                await asyncio.sleep(0.01)
        finally:
            self.busy = False


@pytest.mark.parametrize("stops", [True, False])
async def test_whether_generation_stops_when_the_client_leaves_is_seen_at_slots(stops, monkeypatch):
    if stops:  # seconds in which a busy machine, too, has told it
        monkeypatch.setattr(leaving, "LASTS_S", 10.0)
    slots = Slots(stops=stops, each_s=0.02)
    async with scripted(slots) as server:
        found, _ = await preflight(server.port)

    assert found.stops_on_disconnect is stops
    assert slots.asked_tokens[0] == 4
    assert 10 < slots.asked_tokens[1] <= 400  # 2 s of it, by the pace that was seen
    assert not slots.busy  # the run does not begin beside our answer


async def test_a_server_too_slow_to_be_waited_for_is_not_asked_a_second_time():
    slots = Slots(stops=False, each_s=0.6)
    async with scripted(slots) as server:
        found, _ = await preflight(server.port)

    assert found.stops_on_disconnect is None
    assert slots.asked_tokens == [4]


async def test_an_endpoint_that_does_not_tell_how_busy_it_is_gets_one_request():
    async with scripted(answers(stream("a", "b"))) as server:
        await preflight(server.port)

    assert sum(asked.head.startswith(b"POST") for asked in server.asked) == 1


async def test_where_it_cannot_be_seen_nothing_is_claimed():
    async with scripted(answers(stream("a"))) as server:
        found, _ = await preflight(server.port)

    assert found.stops_on_disconnect is None


async def test_a_rate_limit_is_told_with_its_status_and_how_long_to_wait():
    busy = refusal(429, "slow down").replace(b"\r\n\r\n", b"\r\nRetry-After: 3\r\n\r\n", 1)
    async with scripted(answers(busy)) as server:
        found, _ = await preflight(server.port)

    assert "429" in found.failure_message
    assert "wait 3 s" in found.failure_message
    assert "slow down" in found.failure_message
