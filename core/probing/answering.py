"""The tiny request of a probe put into the report: first token, streaming, usage, and why it was refused."""

from dataclasses import replace
from urllib.parse import urlsplit

from core.hosts import address, is_this_machine
from core.probing.courier import Courier
from core.probing.question import FEWEST_CHUNKS, TOKENS, Reply, question
from core.probing.report import Report
from core.probing.result import CheckName, CheckState
from core.probing.telling import circumstances, tell
from core.quantities import seconds
from core.records import TokenSource
from core.wire.openai import path
from core.words import say

RESERVE = 0.2  # of the budget, kept for the engine's own pages
SUSPECT, UNCLEAR = ("buffered", "in bursts"), "unclear"
ENOUGH, MOST_HEARINGS = 2, 3
STREAM_ROWS = {
    "yes": (CheckState.YES, "yes"),
    "in bursts": (CheckState.DOUBT, "in bursts, several tokens at a time"),
    "buffered": (CheckState.DOUBT, "buffered, all tokens at once"),
    UNCLEAR: (CheckState.DOUBT, "not clear"),
    "no": (CheckState.NO, "no, one JSON body came"),
}
USAGE_ROWS = {
    True: (CheckState.YES, "yes"),
    False: (CheckState.NO, "no"),
    None: (CheckState.NOT_TRIED, "not seen"),
}
LONGEST = 4 * TOKENS  # an answer of more chunks than this did not heed max_tokens


def ask_model(report: Report, courier: Courier, model: str) -> Reply:
    """Ask `model` for a few tokens and write down what was seen."""
    reply = _heard(report, courier, model)
    report.notes += reply.changes
    report.facts |= {"model": model, "token_parameter": reply.ask.token_parameter}
    if reply.failure is not None:
        _refused(report, reply, model)
        return reply
    _answered(report, reply, model)
    return reply


def _heard(report: Report, courier: Courier, model: str) -> Reply:
    """An answer, and with it how the server streams.

    "buffered" and "in bursts" are said of a server only if two answers showed it while nothing here was held up; one
    even stream is proof enough of the contrary. What was seen and is not sure is UNCLEAR.
    """
    here = is_this_machine(address(report.endpoint.base_url)[0])
    sure, doubtful, began = 0, None, report.elapsed_s
    for number in range(1, MOST_HEARINGS + 1):
        reply = question(
            courier, report.endpoint, model, lambda: report.seconds(reserve=RESERVE), attention=report.attention
        )
        if reply.rhythm not in SUSPECT:
            return doubtful if doubtful is not None and reply.failure is not None else reply
        held_up = reply.held_up(here=here)
        sure += not held_up
        if sure == ENOUGH:
            return reply
        doubtful = doubtful or replace(reply, rhythm=UNCLEAR)
        one_more_s = (report.elapsed_s - began) / number
        if reply.cut or report.elapsed_s + one_more_s > report.budget_s * (1 - RESERVE):
            break
    assert doubtful is not None
    report.notes.append(_doubt(doubtful, held_up=sure == 0))
    return doubtful


def _doubt(reply: Reply, *, held_up: bool) -> str:
    if held_up:
        return say(
            "Its tokens came together, but this machine was held up just then (its own reader by up to {late}): that, "
            "and the first token's time, says little of the server.",
            late=seconds(reply.late_s),
        )
    return say("Its tokens came together once, and that could not be seen a second time: it says little of the server.")


def _refused(report: Report, reply: Reply, model: str) -> None:
    failure = reply.failure
    assert failure is not None
    page = reply.exchange.page
    asked = urlsplit(report.endpoint.base_url).path + path(report.endpoint.api)
    detail = failure.message if page is None or page.status == 200 else str(page.status)
    report.check(CheckName.ANSWERS, CheckState.NO, detail)
    tell(report, failure, circumstances(report, asked, page, failure, model=model))


def _answered(report: Report, reply: Reply, model: str) -> None:
    answer = reply.answer
    assert answer is not None
    first_s = answer.chunk_us[0] / 1e6 if answer.chunk_us else None
    usage = None if reply.cut and answer.token_source is TokenSource.NONE else answer.token_source is TokenSource.USAGE
    report.facts |= {
        "first_token_s": first_s,
        "streams": reply.rhythm,
        "usage": usage,
        "token_source": None if usage is None else answer.token_source,
    }
    detail = seconds(first_s) if first_s is not None else say("not streamed")
    report.check(CheckName.ANSWERS, CheckState.YES if first_s is not None else CheckState.DOUBT, detail)
    report.check(CheckName.STREAMS, *_row(STREAM_ROWS[reply.rhythm or "no"]))
    report.check(CheckName.USAGE, *_row(USAGE_ROWS[usage]))
    _note_oddities(report, reply, model)


def _note_oddities(report: Report, reply: Reply, model: str) -> None:
    answer = reply.answer
    assert answer is not None
    listed = report.facts.get("models", ())
    if listed and model not in listed:
        report.notes.append(say("The server answers for {model} although it does not list it.", model=model))
    if answer.output_chunks > LONGEST:
        report.notes.append(say("The answer was longer than asked: max_tokens is not obeyed."))
    elif reply.cut:
        report.notes.append(say("The probe cut the answer short, so it did not see whether usage comes."))
    elif answer.streamed and answer.output_chunks < FEWEST_CHUNKS:
        report.notes.append(say("The answer was too short to tell whether the stream is buffered."))


def _row(row: tuple[CheckState, str]) -> tuple[CheckState, str]:
    return row[0], say(row[1])
