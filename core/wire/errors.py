"""Error bodies of any shape -> the server's own sentence and a kind of failure. Never raises, never trusts a field.

Sentences stay hostile text: shortened and without control characters here, escaped where they are shown.
"""

import re
from datetime import datetime
from http import HTTPStatus
from typing import Any
from urllib.parse import urljoin

import orjson

from core.base_url import OPERATION_PATHS, is_another
from core.records import Failure, FailureKind
from core.wire.retry_after import wait_s
from core.words import say

MAX_SENTENCE = 500
MAX_BODY = 1_000_000  # bytes of an error body that are read as JSON
MAX_DEPTH = 8
MAX_LABEL = 100
MAX_TARGET = 300

# Where a sentence may stand, best place first. Two in one object ("error" and "message") are both told.
SENTENCE_KEYS = (
    "error", "error_description", "message", "detail", "msg", "error_msg", "error_message", "Message", "errors",
    "description", "title", "reason", "fault", "faultstring", "raw",
)  # fmt: skip
LABEL_KEYS = ("type", "code", "error_type", "error_code", "status")
NESTED_KEYS = ("error", "detail", "errors")

OVERFLOW_WORDS = (
    "context length", "context_length", "context size", "context_size", "context window", "maximum model length",
    "max_model_len", "max model len", "max_seq_len", "max_input_len", "maximum input length", "maximum prompt length",
    "prompt too long", "prompt is too long", "input is too long", "input too long", "string too long",
    "must have less than", "`max_new_tokens` must be <=", "exceeds the maximum number of tokens", "上下文长度",
)  # fmt: skip
MEMORY_WORDS = (
    "out of memory", "out_of_memory", "outofmemory", "cudamalloc failed", "failed to allocate", "bad_alloc",
    "insufficient memory", "not enough memory", "no available memory", "oom when allocating", "cuda oom", "显存不足",
)  # fmt: skip
OVERFLOW_STATUSES = frozenset({400, 413, 422, 500})
UNKNOWN_PARAMETER_STATUSES = frozenset({400, 404, 422, 500, 501})
COMPLAINT = re.compile(
    r"not permitted|not supported|not support|unsupported|unknown|unexpected|unrecogni[sz]ed|not allowed|forbidden"
    r"|additional propert|extra field|extra input|extra_forbidden|invalid|not implemented|cannot|can only|instead"
)
NEW_NAME = re.compile(r"\buse ['\"`]?max_completion_tokens|\bmax_tokens\b.*(not |un)support.*max_completion_tokens")
USER = re.compile(r"//[^/]*@")
TAG = re.compile(r"<(script|style)\b.*?</\1\s*>|<[^>]*>", re.IGNORECASE | re.DOTALL)


def http_failure(
    status: int,
    content_type: str,
    body: bytes,
    retry_after: str | None = None,
    location: str | None = None,
    *,
    asked: str = "",
    answered_at: datetime | None = None,
) -> Failure:
    """The failure behind an answer that is no success, with the server's own sentence if it has one.

    `location`: the header of a redirect from `asked`. None is followed: what is measured is the address that was given.
    `answered_at`: from when a `retry_after` that is a date counts, see `core.wire.retry_after`.
    """
    found = _json(body)
    redirect = _redirect(location or "", asked) if 300 <= status < 400 else ""
    if redirect:
        message = redirect
    elif found is None:
        message = _with_status(status, _plain_text(content_type, body))
    else:
        message = sentence(found) or _with_status(status, body[: 2 * MAX_SENTENCE].decode("utf-8", "replace"))
    kind = _kind(status)
    if status >= 400:
        kind = _cause(status, f"{message} {_labels(found)}".lower()) or kind
    return Failure(kind=kind, message=clean(message), status=status, retry_after_s=wait_s(retry_after, answered_at))


def parameter_change(status: int, body: bytes) -> str | None:
    """The one change of a parameter that this refusal asks for, in the words of a preflight; None if there is none."""
    if status not in UNKNOWN_PARAMETER_STATUSES:
        return None
    found = _json(body)
    text = (
        body[: 8 * MAX_SENTENCE].decode("utf-8", "replace") if found is None else f"{sentence(found)} {_labels(found)}"
    )
    return parameter_change_in(text)


def parameter_change_in(text: str) -> str | None:
    """The same for a sentence, such as one that came inside a 200."""
    text = text[: 8 * MAX_SENTENCE].lower()
    if NEW_NAME.search(text):
        return "use max_completion_tokens"
    if not COMPLAINT.search(text):
        return None
    if "max_completion_tokens" in text:
        return "use max_tokens"
    for parameter in ("stream_options", "ignore_eos", "temperature"):
        if parameter in text:
            return f"drop {parameter}"
    return None


def says_error(found: dict[str, Any]) -> bool:
    """Whether an object inside a 200 is an error, whatever else it holds: an error always wins."""
    if found.get("error") or found.get("object") == "error":
        return True
    if "choices" in found or "usage" in found:
        return False
    if found.get("error") not in (None, False) or any(
        found.get(key) for key in ("detail", "errors", "error_msg", "error_code")
    ):
        return True
    return ("message" in found or "msg" in found) and any(key in found for key in LABEL_KEYS)


def sentence(found: Any) -> str:
    """The sentence inside a JSON value of any shape, cleaned; "" if there is none."""
    return clean(_sentence(found, 0))


def clean(text: str) -> str:
    """At most 500 characters, no control or formatting characters, no runs of blanks."""
    text = "".join(sign if sign.isprintable() else " " for sign in text[: 8 * MAX_SENTENCE])
    text = " ".join(text.split())
    return text if len(text) <= MAX_SENTENCE else text[: MAX_SENTENCE - 1] + "…"


def _sentence(found: Any, depth: int) -> str:
    if isinstance(found, str):
        return found[: 8 * MAX_SENTENCE].strip()
    if depth < MAX_DEPTH and isinstance(found, list):
        return "; ".join(filter(None, (_sentence(item, depth + 1) for item in found[:5])))
    return _sentence_of(found, depth) if depth < MAX_DEPTH and isinstance(found, dict) else ""


def _sentence_of(found: dict[str, Any], depth: int) -> str:
    if isinstance(found.get("msg"), str) and isinstance(found.get("loc"), list):  # one line of a FastAPI complaint
        place = ".".join(str(step)[:MAX_LABEL] for step in found["loc"][:10])
        return f"{place}: {found['msg']}"
    told: list[str] = []
    for key in SENTENCE_KEYS:
        part = _sentence(found[key], depth + 1) if key in found else ""
        if part and not any(part in before for before in told):
            told.append(part)
    if isinstance(found.get("metadata"), dict) and depth < 2:  # a router tells what its provider said
        told += filter(None, [_sentence(found["metadata"].get("raw"), depth + 1)])
    return ": ".join(told[:3])


def _labels(found: Any, depth: int = 0) -> str:
    """Types and codes beside the sentence: "exceed_context_size_error" says more than some sentences do."""
    if isinstance(found, list):
        return " ".join(_labels(item, depth + 1) for item in found[:5]) if depth < MAX_DEPTH else ""
    if not isinstance(found, dict) or depth >= MAX_DEPTH:
        return ""
    own = [found[key][:MAX_LABEL] for key in LABEL_KEYS if isinstance(found.get(key), str)]
    return " ".join([*own, *(_labels(found[key], depth + 1) for key in NESTED_KEYS if key in found)])


def _cause(status: int, text: str) -> FailureKind | None:
    if status in OVERFLOW_STATUSES and any(word in text for word in OVERFLOW_WORDS):
        return FailureKind.CONTEXT_OVERFLOW
    if (status >= 500 or status == 400) and any(word in text for word in MEMORY_WORDS):
        return FailureKind.OUT_OF_MEMORY
    return None


def _kind(status: int) -> FailureKind:
    own = {
        401: FailureKind.HTTP_401,
        403: FailureKind.HTTP_403,
        404: FailureKind.HTTP_404,
        429: FailureKind.HTTP_429,
    }
    return own.get(status, FailureKind.HTTP_5XX if status >= 500 else FailureKind.HTTP_4XX)


def _redirect(location: str, asked: str) -> str:
    """What a redirect means for the base URL; "" if it leads nowhere."""
    if not shown_target(location):
        return ""
    try:
        target = urljoin(asked, location)
    except ValueError:
        target = location
    shown = shown_target(target)
    if len(target) <= MAX_TARGET and is_another(shown, asked):
        return say("The server redirects to {location}: use that address as base URL.", location=shown)
    return say(
        "The server redirects to {location}, which is no other base URL: look into its settings, or its proxy's.",
        location=shown,
    )


def shown_target(location: str) -> str:
    """Where a redirect leads as a base URL: without what a sign-in puts into it, and without the operation's path."""
    target = USER.sub("//", clean(re.split(r"[?#]", location, maxsplit=1)[0])[:MAX_TARGET]).rstrip("/")
    for operation in OPERATION_PATHS:
        target = target.removesuffix(operation)
    return target


def _json(body: bytes) -> Any:
    """The body as JSON; None if it is none, or nothing but a number or the like."""
    if len(body) > MAX_BODY:
        return None
    try:
        found = orjson.loads(body.removeprefix(b"\xef\xbb\xbf"))
    except orjson.JSONDecodeError:
        return None
    return found if isinstance(found, dict | list | str) else None


def _plain_text(content_type: str, body: bytes) -> str:
    text = body[: 8 * MAX_SENTENCE].decode("utf-8", "replace")
    if "html" in content_type.lower() or text.lstrip()[:1] == "<":
        text = TAG.sub(" ", text)
    return clean(text)


def _with_status(status: int, text: str) -> str:
    try:
        name = f"{status} {HTTPStatus(status).phrase}"
    except ValueError:
        name = str(status)
    if not text:
        return say("The server answered {status} and nothing else.", status=name)
    if text.lower() == name.removeprefix(f"{status} ").lower():
        return name
    return text if str(status) in text else f"{name}: {text}"
