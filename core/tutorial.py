"""What a tutorial's script would have printed as tokens/s, and why it differs. Knows records, never a page.

Such a script counts chunks, or characters / 4, and divides by the total time of the request.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from core import metrics
from core.quantities import number, percent
from core.records import RequestRecord
from core.words import say

CHARACTERS_A_TOKEN = 4
SAME = 0.02  # a difference not worth a reason


@dataclass(frozen=True, slots=True, kw_only=True)
class Tutorial:
    """The script's numbers beside ours, tokens/s.

    Attributes:
        chunks_tps, characters_tps: What it prints for the median stream; None if not streamed, if texts were not kept.
        decode_tps: The decode speed of the median stream.
        sentence: All of it in words, with the reasons that apply here.
    """

    chunks_tps: float | None
    characters_tps: float | None
    decode_tps: float | None
    sentence: str


def _median(values: Sequence[float]) -> float | None:
    if not values:
        return None
    ordered = sorted(values)
    half = len(ordered) // 2
    return ordered[half] if len(ordered) % 2 else (ordered[half - 1] + ordered[half]) / 2


def _total_s(record: RequestRecord) -> float:
    if record.sent_s is None or record.ended_s is None:
        return 0.0
    return max(record.ended_s - record.sent_s, 0.0)


def _characters(record: RequestRecord) -> int:
    return len(record.text or "") + len(record.reasoning_text or "")


def _wait_share(answered: Sequence[RequestRecord]) -> float:
    waits = [(wait, total) for r in answered if (wait := metrics.ttft_s(r)) is not None and (total := _total_s(r))]
    return sum(wait for wait, _ in waits) / sum(total for _, total in waits) if waits else 0.0


def _reasons(answered: Sequence[RequestRecord], characters_tps: float | None) -> list[str]:
    reasons = []
    wait = _wait_share(answered)
    if wait > SAME:
        reasons.append(say("the wait for the first token is {share} of the time it divides by", share=percent(wait)))
    counted = [r for r in answered if r.output_tokens and len(r.chunk_us)]
    tokens, chunks = sum(r.output_tokens or 0 for r in counted), sum(len(r.chunk_us) for r in counted)
    if chunks and abs(tokens / chunks - 1) > SAME:
        reasons.append(say("a chunk holds {count} tokens here", count=number(tokens / chunks)))
    written = [r for r in answered if r.output_tokens and _characters(r)]
    if characters_tps is not None and written:
        letters = sum(map(_characters, written)) / sum(r.output_tokens or 0 for r in written)
        if abs(letters / CHARACTERS_A_TOKEN - 1) > SAME:
            reasons.append(say("a token has {count} characters here, not 4", count=number(letters)))
    return reasons


def _sentence(printed: list[str], decode_tps: float | None, reasons: list[str]) -> str:
    text = say("A tutorial script would print {numbers} for one stream", numbers=say(" or ").join(printed))
    if decode_tps is None:
        return text + say("; the decode speed is unknown here.")
    text += say("; its decode speed is {speed} tokens/s", speed=number(decode_tps))
    if not reasons:
        return text + say(". They agree because the first token came early and each chunk was one token.")
    return text + say(". Why they differ: {reasons}.", reasons=say("; ").join(reasons))


def tutorial(answered: Sequence[RequestRecord]) -> Tutorial | None:
    """Over successful requests; None if such a script would have had nothing to print."""
    timed = [record for record in answered if _total_s(record) > 0]
    chunks_tps = _median([len(r.chunk_us) / _total_s(r) for r in timed if r.streamed and len(r.chunk_us)])
    by_characters = [_characters(r) / CHARACTERS_A_TOKEN / _total_s(r) for r in timed if _characters(r)]
    characters_tps = _median(by_characters)
    printed = []
    if chunks_tps is not None:
        printed.append(say("{speed} tokens/s (chunks / total time)", speed=number(chunks_tps)))
    if characters_tps is not None:
        printed.append(say("{speed} (characters / 4 / total time)", speed=number(characters_tps)))
    if not printed:
        return None
    decode_tps = _median([speed for record in timed if (speed := metrics.decode_tps(record)) is not None])
    return Tutorial(
        chunks_tps=chunks_tps,
        characters_tps=characters_tps,
        decode_tps=decode_tps,
        sentence=_sentence(printed, decode_tps, _reasons(timed, characters_tps)),
    )
