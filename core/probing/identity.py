"""The engine of a probe: the pages that only some engines have, weighed with what was seen before."""

from dataclasses import replace
from urllib.parse import urlsplit

from core.probing import engines
from core.probing.courier import Courier
from core.probing.model_facts import model_facts
from core.probing.page import Page
from core.probing.question import Reply
from core.probing.report import Report
from core.probing.result import UNKNOWN_ENGINE, CheckName, CheckState
from core.words import say

PAGE_CAP = 300_000
PAGE_SHARE = 0.1


def tell_engine(report: Report, courier: Courier, models: Page | None, reply: Reply | None) -> None:
    """Look at the engines' own pages and write down which one it is, or that it is not known."""
    signs = [] if models is None else engines.signs_of_models(models)
    if reply is not None and reply.exchange.page is not None:
        signs += engines.signs_of_stream(reply.exchange.page.headers, engines.events_of(reply.exchange.body))
    pages: dict[str, Page] = {}
    if not any(sign.engine in engines.PUBLIC_SERVICES and not sign.weak for sign in signs):
        pages = _own_pages(report, courier)
        signs += [sign for page in pages.values() for sign in engines.signs_of_page(page)]
    found = engines.identify(signs)
    facts = model_facts(found.engine, report.facts.get("model"), models, pages)
    report.facts |= {
        "engine": found.engine,
        "engine_version": facts.version,
        "engine_facts": found.facts,
        "max_model_len": facts.max_model_len,
        "details": facts.details,
    }
    if found.note:
        report.notes.append(found.note)
    known = found.engine != UNKNOWN_ENGINE
    shown = " ".join(filter(None, (found.engine, facts.version))) if known else say("not known")
    report.check(CheckName.ENGINE, CheckState.YES if known else CheckState.DOUBT, shown)


def _own_pages(report: Report, courier: Courier) -> dict[str, Page]:
    parts = urlsplit(report.endpoint.base_url)
    root = f"{parts.scheme}://{parts.netloc}{parts.path.rstrip('/').removesuffix('/v1')}"
    pages: dict[str, Page] = {}
    for path in engines.PAGES:
        if report.out_of_time:
            break
        page = courier.get(root + path, seconds=report.seconds(PAGE_SHARE), cap=PAGE_CAP)
        if isinstance(page, Page):
            pages[path] = replace(page, path=path)
    return pages
