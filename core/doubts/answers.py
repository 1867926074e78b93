"""Doubts about what came back: counts, lengths, streams. Knows answers, not when they were served."""

from collections.abc import Collection, Iterator, Sequence
from urllib.parse import urlsplit

from core.doubts.evidence import Evidence, middle
from core.doubts.finding import Finding
from core.doubts.record import BUFFERED_SHARE, SHORT_SHARE, buffered, is_short
from core.hosts import is_this_machine
from core.metrics import chunks_are_tokens, decode_span_s, ttft_s
from core.quantities import number, percent, seconds
from core.records import RequestRecord, TokenSource
from core.summary import ITL_SHARE, STATISTICS
from core.words import say

HELD_BACK_SHARE = 0.5  # of the answers
LEAST_ROUNDED = 0.01  # a number below it has two digits
MOST_A_CHUNK = 100  # tokens; servers that send several at once send fewer
MOST_OF_ASKED = 100  # times as many tokens as asked for: of an answer in one piece nothing else tells
# Which cells stand on which count.
BY_OUTPUT = ("tpot_s", "decode_tps", "e2e_tps", "output_tokens")
BY_ALL_OUTPUT = ("output_tokens_per_s", "total_tokens_per_s", "peak_output_tokens_per_s")
BY_INPUT = ("input_tokens", "cached_tokens")


def _of(part: int, whole: int) -> str:
    return say("{part} of {whole} answers", part=f"{part:,}", whole=f"{whole:,}")


def _tokens(amount: float) -> str:
    words = number(amount) if amount >= LEAST_ROUNDED else f"{amount:.2g}"
    return say("1 token") if words == "1" else say("{n} tokens", n=words)


def chunk_doubts(seen: Evidence) -> Iterator[Finding]:
    """Chunks that are not tokens, so that gaps are no inter-token latencies."""
    counted = [r for r in _believed(seen.streamed, seen) if len(r.chunk_us)]
    unlike = [record for record in counted if not chunks_are_tokens(record)]
    if not counted or len(unlike) <= (1 - ITL_SHARE) * len(counted):
        return
    tokens, chunks = sum(r.output_tokens or 0 for r in unlike), sum(len(r.chunk_us) for r in unlike)
    yield Finding(
        kind="chunks_not_tokens",
        level="note",
        what=say(
            "Chunks are not tokens in {answers}: a chunk holds {tokens} on average.",
            answers=_of(len(unlike), len(counted)),
            tokens=_tokens(tokens / chunks),
        ),
        why=say("The gaps between chunks are therefore no inter-token latencies, and ITL is not shown."),
        do=say("Compare TPOT, which counts tokens, and compare chunk gaps only between servers that send alike."),
    )


def count_doubts(seen: Evidence) -> Iterator[Finding]:
    """Answers without the server's token count. Our own runs never estimate one; a file's may bring a tokenizer's."""
    unknown = sum(record.output_tokens is None for record in seen.answered)
    estimated = sum(record.token_source is TokenSource.TOKENIZER for record in seen.answered)
    if unknown:
        yield Finding(
            kind="no_usage",
            level="act",
            what=say("{answers} came without a token count.", answers=_of(unknown, len(seen.answered))),
            why=say("TPOT, decode speed and tokens/s are unknown without it: chunks are not counted as tokens."),
            do=say("Let the server send usage (stream_options.include_usage)."),
        )
    elif estimated:
        yield Finding(
            kind="no_usage",
            level="note",
            what=say(
                "{answers} were counted by a tokenizer, not by the server.", answers=_of(estimated, len(seen.answered))
            ),
            why=say("The server sent no usage, and tokenizing a text again can differ from what was generated."),
            do=say("Let the server send usage (stream_options.include_usage)."),
        )


def _output_cannot_be(record: RequestRecord, asked: int) -> bool:
    """More tokens than so many chunks can hold and than were asked for, or none in an answer that has some."""
    tokens, chunks = record.output_tokens, len(record.chunk_us)
    if tokens is None:
        return False
    if record.reasoning_tokens is not None and record.reasoning_tokens > tokens:
        return True
    if chunks < 2:  # a whole answer may come in one
        return tokens > MOST_OF_ASKED * asked
    return tokens <= 0 or (tokens > MOST_A_CHUNK * chunks and tokens > asked + 1)


def _believed(records: Sequence[RequestRecord], seen: Evidence) -> list[RequestRecord]:
    """Those with a count that can be: the others have a finding of their own, and no other advice holds for them."""
    return [r for r in records if r.output_tokens is not None and not _output_cannot_be(r, _asked(r, seen))]


def _input_cannot_be(record: RequestRecord) -> bool:
    cached, tokens = record.cached_tokens, record.input_tokens
    return cached is not None and tokens is not None and cached > tokens


def by_counts(grey: Collection[tuple[str, str]], metric: str) -> bool:
    """Whether it is the counts that grey a metric's cells."""
    return metric in BY_INPUT or (metric in BY_OUTPUT and (BY_ALL_OUTPUT[0], "") in grey)


def greyed_by_counts(seen: Evidence) -> set[tuple[str, str]]:
    """(metric, statistic) of every cell that stands on a count that cannot be; throughput has no statistic."""
    output = any(_output_cannot_be(record, _asked(record, seen)) for record in seen.answered)
    metrics = (BY_OUTPUT if output else ()) + (BY_INPUT if any(map(_input_cannot_be, seen.answered)) else ())
    cells = {(metric, name) for metric in metrics if metric in seen.summary.distributions for name in STATISTICS}
    return cells | ({(metric, "") for metric in BY_ALL_OUTPUT} if output else set())


def impossible_doubts(seen: Evidence) -> Iterator[Finding]:
    """Token counts that cannot be, whatever the server says."""
    output = [_output_cannot_be(record, _asked(record, seen)) for record in seen.answered]
    wrong = [one for one, its in zip(seen.answered, output, strict=True) if its or _input_cannot_be(one)]
    if not wrong:
        return
    hidden = say("TPOT, decode speed and tokens/s are computed from it: they are greyed, and not to be compared.")
    yield Finding(
        kind="impossible_counts",
        level="act",
        what=say("{answers} have token counts that cannot be, such as {example}.",
                 answers=_of(len(wrong), len(seen.answered)), example=_example(wrong[0])),
        why=say("The server's own usage says so.") + (" " + hidden if any(output) else ""),
        do=say("Compare TTFT and E2E latency only, and look at the usage that the server sends."),
    )  # fmt: skip


def _example(record: RequestRecord) -> str:
    tokens, thought = record.output_tokens or 0, record.reasoning_tokens
    if thought is not None and thought > tokens:
        return say("{thought:,} reasoning tokens among {tokens:,} output tokens", thought=thought, tokens=tokens)
    if _input_cannot_be(record):
        return say("{cached:,} cached tokens among {tokens:,} input tokens",
                   cached=record.cached_tokens, tokens=record.input_tokens)  # fmt: skip
    chunks = len(record.chunk_us)
    if chunks < 2:
        return say("{tokens:,} tokens in one piece", tokens=tokens)
    return say("{tokens:,} tokens in {chunks:,} chunks", tokens=tokens, chunks=chunks)


def finish_doubts(seen: Evidence) -> Iterator[Finding]:
    """Answers that did not say why they ended."""
    silent = sum(not record.finish_reason for record in seen.answered)
    if silent:
        yield Finding(
            kind="no_finish_reason",
            level="note",
            what=say("{answers} ended without a finish reason.", answers=_of(silent, len(seen.answered))),
            why=say("So nothing tells whether they were whole, reached their limit or were cut off on the way."),
        )


def _asked(record: RequestRecord, seen: Evidence) -> int:
    return record.requested_output_tokens or seen.run.plan.workload.output_tokens


def _demands_length(seen: Evidence) -> bool:
    workload, preflight = seen.run.plan.workload, seen.run.preflight
    accepted = preflight is None or preflight.ignore_eos is not False
    return (workload.ignore_eos and accepted) or "min_tokens" in workload.extra_body


def length_doubts(seen: Evidence) -> Iterator[Finding]:
    """Answers shorter than asked: each one if an exact length was demanded, else their mean."""
    counted = [r for r in seen.answered if r.output_tokens is not None and r.requested_output_tokens is not None]
    short = [r for r in counted if is_short(r.output_tokens, r.requested_output_tokens)]
    if not short:
        return
    got = sum(record.output_tokens or 0 for record in counted) / len(counted)
    asked = sum(record.requested_output_tokens or 0 for record in counted) / len(counted)
    if _demands_length(seen):
        yield Finding(
            kind="short_answers",
            level="act",
            what=say("{answers} were shorter than demanded.", answers=_of(len(short), len(counted))),
            why=say("The server did not obey the fixed length, so runs of other servers did more work."),
            do=say("Compare TTFT and TPOT only, or use a server setting that forces the length."),
        )
    elif got <= SHORT_SHARE * asked:
        yield Finding(
            kind="short_answers",
            level="note",
            what=say(
                "Answers had {got} on average, {share} fewer than the {asked} asked for.",
                got=_tokens(got),
                share=percent(1 - got / asked),
                asked=number(asked),
            ),
            why=say("E2E latency and requests/s depend on the length, so they compare only with equal answers."),
            do=say("Ask for an exact length (ignore_eos) if the server accepts it, or compare TTFT and TPOT."),
        )


def overlong_doubts(seen: Evidence) -> Iterator[Finding]:
    """Answers longer than asked: the server does not obey its limit."""
    counted = _believed(seen.answered, seen)
    # One more is the end token that some servers count.
    over = [record for record in counted if (record.output_tokens or 0) > _asked(record, seen) + 1]
    refused = seen.run.preflight is not None and seen.run.preflight.max_tokens_obeyed is False
    if not over and not refused:
        return
    yield Finding(
        kind="max_tokens_not_obeyed",
        level="act",
        what=say("{answers} were longer than asked.", answers=_of(len(over), len(counted)))
        if over
        else say("The server's answer before the run was longer than asked."),
        why=say("The server does not obey its limit, so it did more work than the plan says."),
        do=say("Compare TTFT and TPOT only, or set the limit on the server."),
    )


def stream_doubts(seen: Evidence) -> Iterator[Finding]:
    """Answers in one piece: not streamed, or held back on the way and let go at once."""
    whole = len(seen.answered) - len(seen.streamed)
    if whole:
        asked = seen.run.plan.workload.stream
        yield Finding(
            kind="not_streamed",
            level="act" if asked else "note",
            what=say("{answers} came in one piece, not as a stream.", answers=_of(whole, len(seen.answered))),
            why=say("TTFT, TPOT and chunk gaps do not exist for them; E2E latency runs to the end of the body."),
            do=_where_to_look(
                seen,
                here=say("Check that the server supports streaming for this request."),
                elsewhere=say("Check that the endpoint, and any proxy before it, supports streaming."),
            )
            if asked
            else "",
        )
    yield from _buffered(seen)


def _where_to_look(seen: Evidence, *, here: str, elsewhere: str) -> str:
    """What to do about a stream that is held back: nothing stands between a client and a server of one machine."""
    host = urlsplit(seen.run.plan.configuration.endpoint.base_url).hostname or ""
    return here if is_this_machine(host) else elsewhere


def _buffered(seen: Evidence) -> Iterator[Finding]:
    waits = [wait for record in seen.streamed if (wait := ttft_s(record)) is not None]
    held = [record for record in seen.streamed if buffered(record.chunk_us)]
    shortest = middle(waits, 10)
    span = middle([found for record in held if (found := decode_span_s(record)) is not None])
    if shortest is None or span is None or len(held) < HELD_BACK_SHARE * len(seen.streamed):
        return
    # A queue makes TTFT long too, but not that of the first in it: then the stream itself is sound.
    if span >= BUFFERED_SHARE * shortest:
        return
    yield Finding(
        kind="buffered_stream",
        level="stop",
        what=say(
            "{answers} came all at once: within {span} after a wait of {wait}.",
            answers=_of(len(held), len(seen.streamed)),
            span=seconds(span),
            wait=seconds(middle(waits)),
        ),
        why=say("Something held the stream back, so TTFT is really the whole answer's time, and TPOT means nothing."),
        do=_where_to_look(
            seen,
            here=say("Look for a setting of the server that sends each token at once."),
            elsewhere=say("Switch off buffering in the proxy (nginx: proxy_buffering off) or in the server."),
        ),
    )
