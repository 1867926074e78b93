"""The model list of a probe: which models there are, and where the API is if it is not where it was looked for."""

import re
from dataclasses import dataclass, replace
from urllib.parse import urlsplit

from core.probing import reach
from core.probing.circumstances import Circumstances
from core.probing.courier import Courier
from core.probing.diagnosis import no_llm_server
from core.probing.page import Page, is_model_list, model_entries
from core.probing.report import Report
from core.probing.result import CheckName, CheckState
from core.probing.telling import circumstances, page_failure, sent_text, tell
from core.records import Failure, FailureKind
from core.words import say

CAP = 4_000_000  # OpenRouter's list is near 1 MB, FastLLM's tens of kB a model
MOST_MODELS = 1000
SHARE = 0.4
OTHER_BASES = ("/v1", "/openai/v1", "/api/v1")
NO_CHAT = re.compile(
    r"embed|rerank|whisper|tts|dall-e|moderation|transcri|speech|image|clip|bge-|e5-|realtime|sora|babbage|davinci",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Listing:
    """The answer to the question for models; without a list (not `listed`) a named model is asked all the same."""

    page: Page | None
    listed: bool


def list_models(report: Report, courier: Courier, *, model: str | None) -> Listing | None:
    """Ask for the list. None if there is nothing to go on with, which the report then says."""
    asked = urlsplit(report.endpoint.base_url).path + "/models"
    page = courier.get(report.endpoint.base_url + "/models", seconds=report.seconds(SHARE), cap=CAP)
    if isinstance(page, Failure):
        _unanswered(report, asked, page)
        return None
    if is_model_list(page) and page.redirected_to is None:
        _note_names(report, page)
        return Listing(page=page, listed=True)
    failure = page_failure(page)
    seen = circumstances(report, asked, page, failure, model=None)
    if page.cut:
        report.check(CheckName.MODELS, CheckState.NO, say("more than {size} MB", size=CAP // 1_000_000))
    else:
        report.check(CheckName.MODELS, CheckState.NO, _refusal(page, seen))
    if model is not None and _may_answer_all_the_same(page, seen):
        return Listing(page=page, listed=False)
    if seen.sign_in is None and page.redirected_to is None and page.status in (200, 404, 405):
        seen = replace(seen, better_url=_elsewhere(report, courier))
    if page.status == 200 and seen.sign_in is None:
        malformed = Failure(kind=FailureKind.MALFORMED, message=say("no model list"), status=200)
        report.stop(no_llm_server(seen), malformed, sent_text(report, Failure(kind=malformed.kind, message=""), seen))
    else:
        tell(report, failure, seen)
    return None


def choose_model(page: Page | None) -> str | None:
    """The first model that looks like one for chat, a loaded one if the server says which are."""
    entries = [] if page is None else model_entries(page)
    chat = [entry for entry in entries if not NO_CHAT.search(entry["id"])] or entries
    for entry in chat:
        status = entry.get("status")
        if "loaded" in (entry.get("state"), status.get("value") if isinstance(status, dict) else None):
            return str(entry["id"])
    return str(chat[0]["id"]) if chat else None


def _note_names(report: Report, page: Page) -> None:
    names = tuple(dict.fromkeys(entry["id"] for entry in model_entries(page)))
    report.facts |= {"models": names[:MOST_MODELS], "models_total": len(names)}
    if names:
        shown = names[0][:80] if len(names) == 1 else say("{count:,}", count=len(names))
        report.check(CheckName.MODELS, CheckState.YES, shown)
    else:
        report.check(CheckName.MODELS, CheckState.DOUBT, say("the list is empty"))


def _unanswered(report: Report, asked: str, failure: Failure) -> None:
    seen = Circumstances(endpoint=report.endpoint, key=report.key, asked=asked)
    if failure.kind is FailureKind.CONNECTION_LOST and report.endpoint.base_url.startswith("http://"):
        parts = urlsplit(report.endpoint.base_url)
        host, port = parts.hostname or "", parts.port or 80
        if reach.speaks_tls(host, port, host, report.seconds(0.15)):
            seen = replace(seen, other_scheme=True)
        elif b"HTTP/" not in (reach.first_words(host, port, report.seconds(0.15)) or b"HTTP/"):
            failure = Failure(kind=FailureKind.MALFORMED, message=say("what came back is no HTTP"))
    report.check(CheckName.MODELS, CheckState.NO, failure.message)
    tell(report, failure, seen)


def _refusal(page: Page, seen: Circumstances) -> str:
    if seen.sign_in is not None and page.status < 400:
        return say("a sign-in page came")
    if page.redirected_to is not None:
        return say("{status}, a redirect", status=page.status)
    if page.looks_like_html:
        return say("{status}, a web page", status=page.status)
    return str(page.status) if page.status != 200 else say("no model list")


def _may_answer_all_the_same(page: Page, seen: Circumstances) -> bool:
    """A gateway may lack the list, or not show it to this key, and answer for a model that was named."""
    if page.looks_like_html or page.redirected_to is not None:
        return False
    return page.status in (404, 405, 501) or (page.status == 403 and seen.key is not None)


def _elsewhere(report: Report, courier: Courier) -> str | None:
    """Another base URL of the same server where a model list is."""
    parts = urlsplit(report.endpoint.base_url)
    own = parts.path.rstrip("/")
    paths = dict.fromkeys([f"{own}/v1", *OTHER_BASES])
    for path in paths:
        if path == own or report.out_of_time:
            continue
        base = f"{parts.scheme}://{parts.netloc}{path}"
        page = courier.get(f"{base}/models", seconds=report.seconds(0.1), cap=CAP)
        if isinstance(page, Page) and page.redirected_to is None and model_entries(page):
            return base
    return None
