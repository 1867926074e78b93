"""What answers a run: engine, version, and what they tell of the model. From pages by GET and an answer already had.

The same signs as a probe's, without a question of its own to the model; failures leave unknown what they would tell.
"""

import asyncio
from typing import Any

from core.loadgen.lookup import Lookup
from core.loadgen.message import Message
from core.probing import engines
from core.probing.model_facts import model_facts
from core.probing.page import Page
from core.probing.result import UNKNOWN_ENGINE, known_server


async def server_facts(lookup: Lookup, model: str, answer: Message | None) -> dict[str, Any]:
    """As a run's environment keeps it, empty if nothing is known; within twice the time of one page.

    `answer`: one of the model's, its body kept.
    """
    models = await lookup.models()
    signs = [] if models is None else engines.signs_of_models(models)
    if answer is not None:
        signs += engines.signs_of_stream(answer.headers(), engines.events_of(answer.body()))
    pages: dict[str, Page] = {}
    if not any(sign.engine in engines.PUBLIC_SERVICES and not sign.weak for sign in signs):
        found = await asyncio.gather(*map(lookup.page, engines.PAGES))
        pages = {page.path: page for page in found if page is not None}
        signs += [sign for page in pages.values() for sign in engines.signs_of_page(page)]
    engine = engines.identify(signs).engine
    facts = model_facts(engine, model, models, pages)
    known = known_server(
        {
            "engine": None if engine == UNKNOWN_ENGINE else engine,
            "engine_version": facts.version,
            "model": model,
            "details": facts.details,
            "max_model_len": facts.max_model_len,
        },
        model,
    )
    told = {name: value for name, value in known.items() if value is not None}
    return told if told != {"model": model} else {}


def with_body(raw: bytes) -> Message:
    """An answer's bytes as a message that keeps its headers and body, whatever the one that was measured kept."""
    message = Message(keep_body=True, keep_text=False)
    message.feed(0, raw)
    return message
