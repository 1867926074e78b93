"""From a failed exchange to the words of the report: what was sent, what came back, what it means. Asks nothing."""

from datetime import UTC, datetime

from core.hosts import address, host_text
from core.probing.circumstances import Circumstances
from core.probing.diagnosis import diagnose
from core.probing.page import Page
from core.probing.report import Report
from core.probing.sign_in import sign_in_problem
from core.records import Failure
from core.wire.errors import http_failure
from core.words import say


def page_failure(page: Page) -> Failure:
    """The failure behind an answer that is no success."""
    return http_failure(
        page.status,
        page.content_type,
        page.body,
        page.headers.get("retry-after"),
        answered_at=page.dated or datetime.now(UTC),
    )


def circumstances(
    report: Report, asked: str, page: Page | None, failure: Failure, *, model: str | None = None
) -> Circumstances:
    """What is known when this failure came."""
    return Circumstances(
        endpoint=report.endpoint,
        key=report.key,
        asked=asked,
        page=page,
        sign_in=None if page is None else sign_in_problem(page, failure.message, report.key),
        model=model,
        models=report.facts.get("models", ()),
    )


def tell(report: Report, failure: Failure, seen: Circumstances) -> None:
    """Put a failure into the report."""
    report.stop(diagnose(failure, seen), failure, sent_text(report, failure, seen))


def sent_text(report: Report, failure: Failure, seen: Circumstances) -> str:
    """What was sent to whom and what came back, in one or two sentences."""
    if seen.page is None:
        return ""
    host = host_text(*address(report.endpoint.base_url))
    if report.key is None:
        sent = say("Asked {asked} of {host}, without a key.", asked=seen.asked, host=host)
    else:
        sent = say(
            "Sent the key {name} (from {origin}) to {host}.",
            name=report.key.name,
            origin=report.key.origin,
            host=host,
        )
    if seen.page.looks_like_html or seen.page.redirected_to is not None or not failure.message:
        return sent
    return sent + " " + say("It answered “{message}”.", message=failure.message.rstrip("."))
