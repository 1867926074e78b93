"""One HTTP answer as a value: status, headers, a capped body. Never knows how it came."""

from dataclasses import dataclass, field
from datetime import datetime
from functools import cached_property
from typing import Any
from urllib.parse import urljoin

import orjson

from core.hosts import address
from core.wire.retry_after import http_date

MAX_NAME = 300


@dataclass(frozen=True, kw_only=True)
class Page:
    """One answer. Everything in it is the server's own word: hostile until shown otherwise.

    Attributes:
        path: What was asked for, from the server's root.
        headers: Names in lower case.
        body: At most the cap of the request; `cut` says whether more was coming.
        redirected_to: Where a redirect points that was not followed, None otherwise.
    """

    path: str
    status: int
    headers: dict[str, str] = field(default_factory=dict)
    body: bytes = b""
    cut: bool = False
    redirected_to: str | None = None

    @cached_property
    def json(self) -> Any:
        """The body as JSON, None if it is none."""
        try:
            return orjson.loads(self.body)
        except orjson.JSONDecodeError:
            return None

    @property
    def table(self) -> dict[str, Any]:
        """The body if it is a JSON object of a 200 answer, else an empty one."""
        return self.json if self.status == 200 and isinstance(self.json, dict) else {}

    @property
    def content_type(self) -> str:
        """The media type, without parameters."""
        return self.headers.get("content-type", "").partition(";")[0].strip().lower()

    @property
    def dated(self) -> datetime | None:
        """When the server says that it answered."""
        return http_date(self.headers.get("date"))

    @property
    def looks_like_html(self) -> bool:
        """Whether the body is a web page."""
        start = self.body[:200].lstrip().lower()
        return start.startswith((b"<!doctype html", b"<html")) or (self.content_type == "text/html" and b"<" in start)


def redirect_target(url: str, location: str) -> str | None:
    """Where a `Location` header leads from `url`; None if that is no address."""
    try:
        target = urljoin(url, location)
        address(target)
    except ValueError:
        return None
    return target


def model_entries(page: Page) -> list[dict[str, Any]]:
    """The objects of a model list that have an id that can be used as a name; empty if it is no model list."""
    rows = page.table.get("data", page.json if page.status == 200 else None)
    if not isinstance(rows, list):
        return []
    return [row for row in rows if isinstance(row, dict) and _is_name(row.get("id"))]


def is_model_list(page: Page) -> bool:
    """Whether the body is a model list at all, an empty one included."""
    rows = page.table.get("data")
    return isinstance(rows, list) and (not rows or bool(model_entries(page)))


def _is_name(value: object) -> bool:
    return isinstance(value, str) and 0 < len(value) <= MAX_NAME and value.isprintable()
