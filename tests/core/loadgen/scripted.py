"""A server whose bytes a test writes by hand, and an engine to ask it. Real sockets on 127.0.0.1, no pace."""

import asyncio
import contextlib
from collections.abc import AsyncIterator, Awaitable, Callable
from dataclasses import dataclass, field, replace

from core.loadgen.engine import Engine
from core.loadgen.prompts import Prompts, Shape
from core.plan import Configuration, Endpoint, Limits, Load, RunPlan, Workload

Script = Callable[["Asked", asyncio.StreamWriter], Awaitable[None]]
HEAD = b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n"
CHUNKED = HEAD + b"Transfer-Encoding: chunked\r\n\r\n"


@dataclass
class Asked:
    """One request as the server saw it."""

    head: bytes
    body: bytes
    connection: int


@dataclass
class Scripted:
    """The running server: what it was asked, and how many connections it took."""

    port: int = 0
    asked: list[Asked] = field(default_factory=list)
    connections: int = 0
    gone: int = 0
    asked_by: list[asyncio.StreamReader] = field(default_factory=list)


def event(text: str) -> bytes:
    """One chunk event of a chat stream."""
    return b'data: {"choices":[{"index":0,"delta":{"content":"%b"},"finish_reason":null}]}\n\n' % text.encode()


FINISH = b'data: {"choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}\n\n'


def usage(prompt: int, completion: int) -> bytes:
    """The event with the counts."""
    return b'data: {"choices":[],"usage":{"prompt_tokens":%d,"completion_tokens":%d}}\n\n' % (prompt, completion)


DONE = b"data: [DONE]\n\n"


def chunk(data: bytes) -> bytes:
    """One chunk of HTTP framing."""
    return b"%x\r\n%b\r\n" % (len(data), data)


def stream(*texts: str) -> bytes:
    """A whole chunked answer, one HTTP chunk an event."""
    events = [event(text) for text in texts] + [FINISH, usage(7, len(texts)), DONE]
    return CHUNKED + b"".join(chunk(one) for one in events) + b"0\r\n\r\n"


async def hang_up(writer: asyncio.StreamWriter) -> None:
    """Close the server's side."""
    writer.close()
    with contextlib.suppress(ConnectionError):
        await writer.wait_closed()


@contextlib.asynccontextmanager
async def scripted(
    script: Script, *, host: str = "127.0.0.1", ssl=None, tokenizes: bool = False
) -> AsyncIterator[Scripted]:
    """Serve `script` for every request of every connection until it closes the writer.

    There is no `/tokenize`, and none is noted as asked for, unless the script `tokenizes`.
    """
    state = Scripted()

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        number = state.connections
        state.connections += 1
        try:
            while not writer.is_closing():
                head = await reader.readuntil(b"\r\n\r\n")
                length = int(head.lower().split(b"content-length:")[1].split(b"\r\n")[0]) if b"ontent-" in head else 0
                asked = Asked(head, await reader.readexactly(length), number)
                if not tokenizes and head.startswith(b"POST /tokenize "):
                    writer.write(b"HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n")
                    continue
                state.asked.append(asked)
                state.asked_by.append(reader)
                await script(asked, writer)
                await writer.drain()
        except (asyncio.IncompleteReadError, ConnectionError):
            state.gone += 1
        except asyncio.CancelledError:  # the test is over
            writer.transport.abort()
            return
        await hang_up(writer)

    server = await asyncio.start_server(serve, host, 0, ssl=ssl)
    state.port = server.sockets[0].getsockname()[1]
    try:
        yield state
    finally:
        server.close()


async def closed(reader: asyncio.StreamReader) -> bool:
    """Whether the client has closed the connection that this reader reads; waits up to a minute for it."""
    async with asyncio.timeout(60):
        while not reader.at_eof() and reader.exception() is None:
            await asyncio.sleep(0.01)
    return True


def answers(data: bytes, *, close: bool = False) -> Script:
    """The same bytes for every request."""

    async def script(_: Asked, writer: asyncio.StreamWriter) -> None:
        writer.write(data)
        if close:
            writer.close()

    return script


async def endless(_: Asked, writer: asyncio.StreamWriter) -> None:
    """An answer that goes on until the client leaves, a chunk every 5 ms."""
    writer.write(CHUNKED)
    while True:
        writer.write(chunk(event("a")))
        await writer.drain()
        await asyncio.sleep(0.005)


async def black_hole(_dialler: object) -> None:
    """In the place of `Dialler.dial`: neither connects nor gives up."""
    await asyncio.sleep(3600)


def plan_for(
    port: int, *, host: str = "127.0.0.1", scheme: str = "http", limits: Limits | None = None, **load
) -> RunPlan:
    """A plan against the scripted server; `load` as in `Load`, workload and endpoint fields by their names too."""
    endpoint_fields = {
        name: load.pop(name) for name in ("api", "ca_file", "verify", "headers", "key_name") if name in load
    }
    workload_fields = {
        name: load.pop(name)
        for name in ("stream", "input_tokens", "output_tokens", "extra_body", "ignore_eos", "nonce")
        if name in load
    }
    endpoint = Endpoint(
        name="scripted", base_url=f"{scheme}://{host}:{port}/v1", limits=limits or Limits(), **endpoint_fields
    )
    if load.get("duration_s"):
        load.setdefault("requests", None)
    return RunPlan(
        configuration=Configuration(id="c", label="c", endpoint=endpoint, model="m"),
        workload=replace(Workload(input_tokens=8, output_tokens=8), **workload_fields),
        load=replace(Load(concurrency=1, requests=1, warmup_requests=0), **load),
    )


def engine_for(plan: RunPlan, records: list, **options) -> Engine:
    """An engine that keeps its records in a list."""
    prompts = Prompts(plan, tag="t", key_header=None, shape=Shape(), rows=options.pop("rows", None))
    return Engine(plan, prompts, keep=records.append, **options)


async def measured(plan: RunPlan, **options) -> list:
    """The records of a whole run."""
    records: list = []
    await engine_for(plan, records, **options).run()
    return sorted(records, key=lambda record: (not record.warmup, record.index))


def refusing(*, first: int, retry_after: float = 0) -> Script:
    """Turns the first requests away with 429 and a Retry-After; in whole seconds or parts of one."""
    count = 0

    async def script(_: Asked, writer: asyncio.StreamWriter) -> None:
        nonlocal count
        count += 1
        if count > first:
            writer.write(stream("a", "b"))
            return
        head = "HTTP/1.1 429 Too Many Requests\r\nContent-Type: application/json\r\n"
        writer.write(f"{head}Retry-After: {retry_after}\r\nContent-Length: 2\r\n\r\n{{}}".encode())

    return script
