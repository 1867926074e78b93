"""The measuring child as a process of its own: what is joined in it, and what leaves it. Real pipes, real sockets."""

import asyncio
import json
import os
import sys
from pathlib import Path

import orjson

from core.loadgen import channel
from core.loadgen.preflight import CHANGED
from tests.core.loadgen.scripted import (
    CHUNKED,
    DONE,
    HEAD,
    Asked,
    answers,
    chunk,
    plan_for,
    scripted,
    stream,
    usage,
)  # fmt: skip

ROOT = Path(__file__).parents[3]
KEY = "sk-geheim-0123456789"
REFUSALS = {
    "max_tokens": ("Unsupported parameter: 'max_tokens'. Use 'max_completion_tokens' instead.",
                   "use max_completion_tokens"),
    "stream_options": ("Unknown parameter: 'stream_options'.", "drop stream_options"),
    "ignore_eos": ("Unknown parameter: 'ignore_eos'.", "drop ignore_eos"),
    "temperature": ("Unsupported parameter: 'temperature' is not supported with this model.", "drop temperature"),
}  # fmt: skip


class Child:
    """What a child said: its messages, and every byte that left it."""

    def __init__(self, out: bytes, err: bytes, status: int) -> None:
        self.messages = [json.loads(line) for line in out.splitlines()]
        self.bytes, self.err, self.status = out + err, err, status

    def told(self, kind: str) -> list[dict]:
        """The messages of one kind."""
        return [message for message in self.messages if message["kind"] == kind]

    @property
    def records(self) -> list[dict]:
        """The requests."""
        return [message["record"] for message in self.told("record")]

    @property
    def preflight(self) -> dict:
        """What was found before the run."""
        (found,) = self.told("preflight")
        return found["preflight"]


async def child(plan, tmp_path, **job) -> Child:
    """Run a plan in a child of our own; its input stays open until it has ended."""
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-m", "core.loadgen", cwd=ROOT,
        stdin=asyncio.subprocess.PIPE, stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.PIPE,
        env={**os.environ, "PACELINE_LOCK": str(tmp_path / "lock")},
    )  # fmt: skip
    process.stdin.write(channel.dump_job(channel.Job(run_id="r", plan=plan, **job)))
    async with asyncio.timeout(60):
        out, err = await asyncio.gather(process.stdout.read(), process.stderr.read())
        status = await process.wait()
    process.stdin.close()
    return Child(out, err, status)


def refusal(status: int, message: str) -> bytes:
    """An error as OpenAI's API words it."""
    body = orjson.dumps({"error": {"message": message}})
    head = b"HTTP/1.1 %d X\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n"
    return head % (status, len(body)) + body


def sent(server) -> list[dict]:
    """The body of every request that the server saw, in order."""
    return [orjson.loads(asked.body) for asked in server.asked if asked.head.startswith(b"POST")]


async def test_every_measured_request_takes_the_shape_that_preflight_found(tmp_path):
    async def strict(asked, writer):
        body = orjson.loads(asked.body or b"{}")
        refused = next((complaint for name, (complaint, _) in REFUSALS.items() if name in body), None)
        writer.write(refusal(400, refused) if refused else stream("a", "b"))

    async with scripted(strict) as server:
        plan = plan_for(server.port, requests=3, warmup_requests=1, ignore_eos=True)
        ended = await child(plan, tmp_path)

    assert set(ended.preflight["changes"]) == {CHANGED[change] for _, change in REFUSALS.values()}
    assert [record.get("failure") for record in ended.records] == [None] * 4
    *_, last = probed = sent(server)[: -len(ended.records)]
    measured = sent(server)[-len(ended.records) :]
    assert len(probed) == len(REFUSALS) + 1
    assert not set(last) & set(REFUSALS)
    for body in measured:
        assert not set(body) & set(REFUSALS)
        assert body["max_completion_tokens"] == plan.workload.output_tokens


async def test_measured_requests_ask_for_all_that_an_endpoint_accepts(tmp_path):
    async with scripted(answers(stream("a", "b"))) as server:
        ended = await child(plan_for(server.port, requests=2, ignore_eos=True), tmp_path)

    assert ended.preflight["changes"] == []
    for body in sent(server)[-2:]:
        assert set(REFUSALS) <= set(body)
        assert "max_completion_tokens" not in body


async def test_connections_that_preflight_saw_closed_are_not_used_again(tmp_path):
    async def close_soon(_asked, writer):
        writer.write(stream("a", "b"))
        await writer.drain()
        await asyncio.sleep(0.02)  # so soon that preflight sees it, so late that a next request would be on its way
        writer.close()

    async with scripted(close_soon) as server:
        ended = await child(plan_for(server.port, requests=4), tmp_path)

    assert ended.preflight["keeps_connection"] is False
    assert [record.get("failure") for record in ended.records] == [None] * 4


def quoting(asked: Asked) -> dict[str, bytes]:
    """Answers that hold the key, at every place that is kept of an answer."""
    (given,) = [line for line in asked.head.split(b"\r\n") if line.startswith(b"Authorization")]
    key = given.rpartition(b" ")[2]
    delta = b'data: {"choices":[{"index":0,"delta":{"content":"you sent %b","reasoning_content":"is it %b?"}}]}\n\n'
    finish = b'data: {"choices":[{"index":0,"delta":{},"finish_reason":"%b"}]}\n\n' % key
    named = CHUNKED.replace(HEAD, HEAD + b"Server: house/%b\r\n" % key)
    whole = b"".join(chunk(one) for one in (delta % (key, key), finish, usage(7, 1), DONE)) + b"0\r\n\r\n"
    error = b'data: {"error":{"message":"%b is over its quota"}}\n\n' % key
    return {
        "answer": named + whole,
        "refusal": refusal(429, f"slow down, {key.decode()}"),
        "error in the stream": named + chunk(error) + b"0\r\n\r\n",
        "nonsense": b"HTTP/1.1 %b\r\n\r\n" % key,
        "no length": CHUNKED + b"%b\r\n\r\n" % key,
        "redirect": b"HTTP/1.1 307 X\r\nLocation: https://there/%b\r\nContent-Length: 0\r\n\r\n" % key,
    }


async def test_a_key_that_a_server_echoes_leaves_the_child_nowhere(tmp_path):
    async def echo(asked, writer):
        if not asked.head.startswith(b"POST"):
            writer.write(b"HTTP/1.1 404 X\r\nContent-Length: 0\r\n\r\n")
            return
        kinds = list(quoting(asked).values())
        # The preflight asks once, of a whole answer.
        measured = sum(one.head.startswith(b"POST") for one in server.asked) - 2
        writer.write(kinds[max(0, measured) % len(kinds)])
        if b"Server:" not in kinds[max(0, measured) % len(kinds)]:
            writer.close()

    async with scripted(echo) as server:
        count = len(quoting(Asked(b"Authorization: x", b"", 0)))
        plan = plan_for(server.port, requests=count)
        ended = await child(plan, tmp_path, key_header=("Authorization", f"Bearer {KEY}"))

    told = [record.get("failure", {}).get("message") or record["text"] for record in ended.records]
    assert len(told) == count
    assert sum("…" in words for words in told) >= 4, told  # it was quoted, and cut out
    assert ended.records[0]["text"] == "you sent …"
    assert ended.records[0]["reasoning_text"] == "is it …?"
    assert ended.records[0]["finish_reason"] == "…"
    assert ended.told("done")[0]["server_name"] == "house/…"
    assert KEY.encode() not in ended.bytes
    assert KEY[3:12].encode() not in ended.bytes
    assert (ended.err, ended.status) == (b"", 0)


async def test_a_key_that_is_quoted_as_it_is_refused_leaves_the_child_nowhere(tmp_path):
    async with scripted(answers(refusal(401, f"Incorrect API key provided: {KEY}"))) as server:
        ended = await child(plan_for(server.port), tmp_path, key_header=("Authorization", f"Bearer {KEY}"))

    assert "Incorrect API key provided: …" in ended.preflight["failure_message"]
    assert KEY.encode() not in ended.bytes
    assert ended.records == []
    assert server.asked[0].head.count(KEY.encode()) == 1


async def test_without_preflight_the_plan_s_own_shape_is_sent(tmp_path):
    async with scripted(answers(stream("a", "b"))) as server:
        await child(plan_for(server.port, requests=1, ignore_eos=True), tmp_path, preflight=False)

    (body,) = sent(server)
    assert body["ignore_eos"] is True


def page(found) -> bytes:
    body = orjson.dumps(found)
    return b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n" % len(body) + body


def forgetful(known: int):
    """A server that answers so many requests and then no longer knows their model; it lists what it has."""
    served = iter(range(known))

    async def script(asked, writer):
        if asked.head.startswith(b"GET /v1/models"):
            writer.write(page({"data": [{"id": "qwen"}, {"id": KEY}]}))
        elif asked.head.startswith(b"GET"):
            writer.write(refusal(404, "no such page"))
        else:
            known = next(served, None) is not None
            writer.write(stream("a") if known else refusal(404, "The model `m` does not exist."))

    return script


async def test_a_model_that_goes_away_in_the_run_is_told_with_those_that_are_there_asked_for_after_the_last_request(
    tmp_path,
):
    async with scripted(forgetful(2)) as server:
        ended = await child(plan_for(server.port, requests=4), tmp_path, key_header=("Authorization", f"Bearer {KEY}"))

    (done,) = ended.told("done")
    assert [bool(record.get("failure")) for record in ended.records] == [False, True, True, True]
    assert done["models"] == "qwen, …"
    assert server.asked[-1].head.startswith(b"GET /v1/models")
    assert all(asked.head.startswith(b"POST") for asked in server.asked[-5:-1])


async def test_a_run_without_a_404_asks_for_no_models(tmp_path):
    async with scripted(answers(stream("a"))) as server:
        ended = await child(plan_for(server.port, requests=2), tmp_path)

    assert ended.told("done")[0]["models"] is None
    assert ended.told("server") == []
    assert not any(b"/models" in asked.head for asked in server.asked)


async def test_what_answers_is_told_before_the_run_where_it_is_asked_for(tmp_path):
    llama = {"data": [{"id": "m", "owned_by": "llamacpp"}]}

    async def script(asked, writer):
        if asked.head.startswith(b"POST"):
            writer.write(stream("a").replace(HEAD, HEAD + b"Server: llama.cpp\r\n"))
        else:
            writer.write(page(llama) if asked.head.startswith(b"GET /v1/models") else refusal(404, "no such page"))

    async with scripted(script) as server:
        ended = await child(plan_for(server.port, requests=2), tmp_path, identify=True)

    kinds = [message["kind"] for message in ended.messages]
    assert ended.told("server")[0]["server"] == {"engine": "llama.cpp", "model": "m"}
    assert kinds.index("server") < kinds.index("started")
    assert all(asked.head.startswith(b"POST") for asked in server.asked[-2:])
