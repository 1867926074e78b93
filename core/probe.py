"""What an endpoint is and can do, or why it refuses: the way there, its models, one tiny answer, its engine.

Bounded in time and size whatever the server does; meant for a background thread. Keeps nothing, and sends a key to no
host that it is not for.
"""

import time
from collections.abc import Callable

from core.hosts import address, host_text, is_this_machine
from core.keys import Key, SessionKeys
from core.plan import Endpoint
from core.probing.answering import SUSPECT, UNCLEAR, ask_model
from core.probing.attention import Attention
from core.probing.circumstances import Diagnosis
from core.probing.courier import Courier
from core.probing.identity import tell_engine
from core.probing.listing import choose_model, list_models
from core.probing.report import Report
from core.probing.result import (
    UNKNOWN_ENGINE,
    Check,
    CheckName,
    CheckState,
    ProbeResult,
    ProbeState,
    known_server,
)
from core.probing.way import find_way, take_key
from core.quantities import seconds
from core.records import Failure, FailureKind
from core.words import say

__all__ = ["Check", "CheckName", "CheckState", "ProbeResult", "ProbeState", "known_server", "probe"]

BUDGET_S = 15.0
NO_USAGE = (
    "It sends no usage, so token counts stay unknown, and a run shows no TPOT and no tokens/s: switch usage on in the "
    "server or the gateway before it, or choose another endpoint."
)
FLUSH_HERE = "Look for a setting of the server that sends each token at once, or read gaps with care."
FLUSH_ELSEWHERE = (
    "If a proxy stands before it, switch its buffering off (nginx: proxy_buffering off); else look into the server's "
    "settings, or read gaps with care."
)


def probe(
    endpoint: Endpoint,
    *,
    key: Key | None = None,
    session: SessionKeys | None = None,
    model: str | None = None,
    budget_s: float = BUDGET_S,
    clock: Callable[[], float] = time.monotonic,
    attention: Callable[[], Attention] = Attention,
) -> ProbeResult:
    """Look at an endpoint. Without `key`, the one that it names or that was typed for it is used.

    Never raises for what a server or a network does; the result says it.
    """
    report = Report(endpoint=endpoint, key=key, budget_s=budget_s, clock=clock, attention=attention)
    take_key(report, session)
    context = find_way(report)
    if context is not None and report.stopped is None:
        with Courier(endpoint, report.key, context, clock) as courier:
            _ask(report, courier, model)
    return report.result(_ready(report))


def _ask(report: Report, courier: Courier, model: str | None) -> None:
    listing = list_models(report, courier, model=model)
    if listing is None:
        return
    chosen = model or choose_model(listing.page)
    if chosen is None:
        report.stop(
            Diagnosis(
                state=ProbeState.WRONG_MODEL,
                what=say("The server has no model: its list is empty."),
                next_step=say("Load a model into it, or write the name of one that it can load."),
            ),
            Failure(kind=FailureKind.EMPTY, message=say("the model list is empty")),
        )
        reply = None
    else:
        total = report.facts.get("models_total")
        if model is None and total and total > 1:
            report.notes.append(say("Asked {model}, one of {total:,} models.", model=chosen, total=total))
        reply = ask_model(report, courier, chosen)
    tell_engine(report, courier, listing.page if listing.listed else None, reply)


def _ready(report: Report) -> Diagnosis:
    """The words for an endpoint that answered."""
    facts = report.facts
    known = facts.get("engine", UNKNOWN_ENGINE) != UNKNOWN_ENGINE
    name = facts["engine"] if known else host_text(*address(report.endpoint.base_url))
    model, first_s = facts.get("model"), facts.get("first_token_s")
    if first_s is None:
        return Diagnosis(
            state=ProbeState.NOT_STREAMED,
            what=say("{name} answers for {model}, but not as a stream.", name=name, model=model),
            next_step=say("A benchmark can measure whole answers only; look for a gateway that drops stream: true."),
        )
    what = say("{name} answers: first token of {model} after {took}.", name=name, model=model, took=seconds(first_s))
    streams = facts.get("streams")
    steps: list[str] = []
    if streams in SUSPECT:
        here = is_this_machine(address(report.endpoint.base_url)[0])
        what += _held_back(streams, here=here)
        steps.append(say(FLUSH_HERE if here else FLUSH_ELSEWHERE))
    elif streams == UNCLEAR:
        steps.append(say("Probe again when this machine is quiet to see whether it streams."))
    if facts.get("usage") is False:
        steps.append(say(NO_USAGE))
    state = ProbeState.BUFFERED if streams in SUSPECT else ProbeState.READY
    return Diagnosis(state=state, what=what, next_step=" ".join(steps))


def _held_back(streams: str, *, here: bool) -> str:
    """What was seen of a stream that comes in pieces. On this machine nothing stands between: no proxy is blamed."""
    if streams == "in bursts":
        return say(" Tokens come in bursts, several at a time.")
    if here:
        return say(" All tokens came at once: the server keeps its answer back until it is whole.")
    return say(" All tokens came at once: the server, or a proxy on the way, holds the stream back.")
