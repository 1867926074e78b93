"""Measures the CPU time of decoding one ordinary chat chunk, as the measuring process does it. Asserts no time.

Run it by hand: python -m tests.bench.bench_decode
"""

import gc
import statistics
import sys
from pathlib import Path
from time import process_time_ns

sys.path.insert(0, str(Path(__file__).parents[2]))

import orjson

from core.wire.openai import StreamDecoder

CHUNKS = 2_000
ROUNDS = 15


def event(text: str, **more: object) -> bytes:
    """One chat chunk as engines send it, about 250 bytes."""
    chunk = {
        "id": "chatcmpl-863d82c0d2c76adf0011223344556677",
        "object": "chat.completion.chunk",
        "created": 1795955580,
        "model": "smollm2-135m-instruct",
        "choices": [
            {"index": 0, "delta": {"content": text}, "logprobs": None, "finish_reason": None, "token_ids": None}
        ],
        **more,
    }
    return b"data: " + orjson.dumps(chunk) + b"\n\n"


def per_event_us(reads: list[bytes], events_a_read: int) -> float:
    """Median over rounds of the CPU time per event, microseconds."""
    rounds = []
    for _ in range(ROUNDS):
        decoder = StreamDecoder(status=200, content_type="text/event-stream")
        feed = decoder.feed
        started = process_time_ns()
        for at_us, data in enumerate(reads):
            feed(at_us, data)
        spent_ns = process_time_ns() - started
        answer = decoder.finish(complete=True)
        if answer.data_events != len(reads) * events_a_read:
            raise SystemExit(f"{answer.data_events} events were seen instead of {len(reads) * events_a_read}")
        rounds.append(spent_ns / 1000 / answer.data_events)
    return statistics.median(rounds)


def halves(events: list[bytes]) -> list[bytes]:
    """Reads that begin and end inside events."""
    return [part for one in events for part in (one[:100], one[100:])]


def main() -> None:
    """Print one line a way of cutting."""
    gc.freeze()
    gc.disable()
    plain = [event(f" word{number}") for number in range(CHUNKS)]
    counted = [
        event(" word", usage={"prompt_tokens": 9, "completion_tokens": n, "total_tokens": 9 + n}) for n in range(CHUNKS)
    ]
    print(f"one event of {len(plain[0])} bytes a read: {per_event_us(plain, 1):.2f} us an event")
    fours = [b"".join(plain[at : at + 4]) for at in range(0, CHUNKS, 4)]
    print(f"four events a read: {per_event_us(fours, 4):.2f} us an event")
    crlf = [one.replace(b"\n", b"\r\n") for one in plain]
    print(f"one event a read, CRLF: {per_event_us(crlf, 1):.2f} us an event")
    print(f"with running usage: {per_event_us(counted, 1):.2f} us an event")
    cut = halves(plain)
    decoder_events = 0.5  # an event needs two reads
    print(f"every event cut in two reads: {per_event_us(cut, decoder_events):.2f} us an event")


if __name__ == "__main__":
    main()
