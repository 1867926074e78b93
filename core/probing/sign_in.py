"""Sign-in problems told apart: no key, wrong key, expired, forbidden, failed token exchange, a login page.

None of them is a matter of speed. Reads a key's own expiry date if it is a JWT; nothing else of a value leaves here.
"""

import base64
import re
from datetime import UTC, datetime
from enum import StrEnum
from typing import Any

import orjson

from core.keys import Key
from core.probing.page import Page

EXCHANGE_CODES = frozenset(
    {
        "invalid_grant", "invalid_client", "unauthorized_client", "unsupported_grant_type", "invalid_scope",
        "interaction_required", "login_required", "consent_required",
    }
)  # fmt: skip
EXPIRED_CODES = frozenset({"expired_token", "token_expired", "expiredsignature", "expired_api_key", "key_expired"})
REFUSED_CODES = frozenset({"invalid_token", "invalid_api_key", "incorrect_api_key", "invalid_authentication"})
CODE_KEYS = ("error", "code", "type", "error_code", "reason", "status")
LOGIN_PATH = re.compile(
    r"/(login|log-in|signin|sign-in|sso|oauth2?|authorize|saml2?|openid|auth)(/|$|\?)", re.IGNORECASE
)
LOGIN_WORDS = re.compile(rb"type=[\"']?password|<title[^>]*>[^<]*(log ?in|sign ?in|single sign)", re.IGNORECASE)
EXPIRED_WORDS = re.compile(
    r"\b(token|key|jwt|signature|credentials?|session)\b[^.]{0,60}\bexpired\b|\bexpired\b[^.]{0,30}\b(token|key|jwt|credentials?)\b",
    re.IGNORECASE,
)
EXCHANGE_WORDS = re.compile(r"\b(" + "|".join(sorted(EXCHANGE_CODES)) + r")\b|AADSTS\d+|token exchange", re.IGNORECASE)


class SignIn(StrEnum):
    """What kind of sign-in problem it is."""

    MISSING = "missing"
    REFUSED = "refused"
    EXPIRED = "expired"
    FORBIDDEN = "forbidden"
    EXCHANGE = "exchange"
    LOGIN_PAGE = "login page"


def sign_in_problem(page: Page, message: str, key: Key | None) -> SignIn | None:
    """The sign-in problem behind an answer; `message` is the server's own sentence. None if it is something else."""
    codes = _codes(page)
    kind = None
    if leads_to_login(page):
        kind = SignIn.LOGIN_PAGE
    elif codes & EXCHANGE_CODES or (page.status >= 400 and EXCHANGE_WORDS.search(message)):
        kind = SignIn.EXCHANGE
    elif page.status in (401, 403, 407) or (page.status >= 400 and codes & (EXPIRED_CODES | REFUSED_CODES)):
        kind = _refusal(page, message, codes, key)
    return kind


def _refusal(page: Page, message: str, codes: set[str], key: Key | None) -> SignIn:
    if key is None:
        return SignIn.FORBIDDEN if page.status == 403 else SignIn.MISSING
    ended = expiry(key)
    said = EXPIRED_WORDS.search(f"{message} {page.headers.get('www-authenticate', '')}")
    if codes & EXPIRED_CODES or said or (ended is not None and ended < datetime.now(UTC)):
        return SignIn.EXPIRED
    return SignIn.FORBIDDEN if page.status == 403 else SignIn.REFUSED


def leads_to_login(page: Page) -> bool:
    """Whether a sign-in page came, or a redirect to one, instead of an answer of an API."""
    if page.redirected_to is not None:
        return LOGIN_PATH.search(page.redirected_to) is not None
    return page.looks_like_html and LOGIN_WORDS.search(page.body[:100_000]) is not None


def expiry(key: Key) -> datetime | None:
    """When a key that is a JWT ends by its own word; None for any other key."""
    parts = key.reveal().split(".")
    if len(parts) != 3:
        return None
    try:
        claims = orjson.loads(base64.urlsafe_b64decode(parts[1] + "=" * (-len(parts[1]) % 4)))
        return datetime.fromtimestamp(claims["exp"], UTC)
    except (ValueError, TypeError, KeyError, OverflowError, OSError):
        return None


def _codes(page: Page) -> set[str]:
    found = {code.lower() for code in re.findall(r'error="?([\w.-]+)', page.headers.get("www-authenticate", ""))}
    _collect(page.json, found, 0)
    return found


def _collect(value: Any, found: set[str], depth: int) -> None:
    if not isinstance(value, dict) or depth > 3:
        return
    for key in CODE_KEYS:
        part = value.get(key)
        if isinstance(part, str):
            found.add(part[:100].lower())
        else:
            _collect(part, found, depth + 1)
