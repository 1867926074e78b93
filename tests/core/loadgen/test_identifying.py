"""What answers, told from pages and from an answer that was had anyway."""

import asyncio

import orjson

from core.loadgen.dialling import Dialler
from core.loadgen.identifying import server_facts, with_body
from core.loadgen.lookup import Lookup
from tests.core.loadgen.scripted import CHUNKED, chunk, plan_for, scripted

LLAMA = {
    "/v1/models": {"data": [{"id": "m", "owned_by": "llamacpp", "meta": {"n_params": 134_515_008, "n_ctx": 2048}}]},
    "/props": {"default_generation_settings": {}, "build_info": "b6000", "total_slots": 4},
}
PUBLIC = {"/v1/models": {"data": [{"id": "m", "owned_by": "system"}]}}


def serving(pages: dict, headers: bytes = b""):
    async def script(asked, writer):
        found = pages.get(asked.head.split(b" ")[1].decode())
        body = b"" if found is None else orjson.dumps(found)
        head = b"HTTP/1.1 %d X\r\n%bContent-Length: %d\r\n\r\n" % (404 if found is None else 200, headers, len(body))
        writer.write(head + body)

    return script


async def facts(port: int, answer=None) -> dict:
    endpoint = plan_for(port).configuration.endpoint
    return await server_facts(Lookup(endpoint, Dialler(asyncio.get_running_loop(), endpoint), None), "m", answer)


async def test_engine_version_and_the_model_s_details_are_told_by_pages_alone():
    async with scripted(serving(LLAMA)) as server:
        found = await facts(server.port)

    assert found == {
        "engine": "llama.cpp", "version": "b6000", "model": "m", "parameters": "134515008", "slots": "4",
        "context length": 2048,
    }  # fmt: skip
    assert all(asked.head.startswith(b"GET") for asked in server.asked)


async def test_an_answer_that_was_had_anyway_is_a_sign_too():
    event = b'data: {"id":"fastllm-7","choices":[{"index":0,"delta":{"content":"a"}}]}\n\n'
    answer = with_body(CHUNKED + chunk(event) + b"0\r\n\r\n")
    async with scripted(serving({"/v1/models": {"data": [{"id": "m", "owned_by": "fastllm"}]}})) as server:
        told, untold = await facts(server.port, answer), await facts(server.port)

    assert told == {"engine": "FastLLM", "model": "m"}
    assert untold == {}  # the model list alone is one sign, and one is not enough


async def test_a_server_that_tells_nothing_leaves_all_of_it_unknown():
    async with scripted(serving({})) as server:
        assert await facts(server.port) == {}


async def test_a_public_service_is_not_asked_for_pages_that_it_cannot_have():
    async with scripted(serving(PUBLIC, b"openai-version: 2020-10-01\r\n")) as server:
        assert await facts(server.port) == {"engine": "OpenAI", "model": "m"}

    assert len(server.asked) == 1
