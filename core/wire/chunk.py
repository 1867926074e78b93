"""What the fields of a completion object mean, in every dialect of the OpenAI API. Trusts no type, knows no events."""

import json
import math
from typing import Any

from core.records import ServerTimes
from core.wire.kept import Kept, Room, whole

MAX_TOKENS = 1_000_000_000  # above this a count is nonsense, and unknown
MAX_SERVER_S = 86_400.0
MAX_ODD_BYTES = 1_000_000
MOST_CALLS = 256  # of one answer that are kept; more than any model makes
MAX_CALL_NAME = 300


class Counts:
    """Token counts of one place, as the server's last word: running totals overwrite, null says nothing."""

    __slots__ = ("cached", "input", "output", "reasoning")

    def __init__(self) -> None:
        self.input: int | None = None
        self.output: int | None = None
        self.reasoning: int | None = None
        self.cached: int | None = None

    def take(self, usage: Any) -> None:
        """Read one usage object. Thinking tokens are already inside the output count."""
        if not isinstance(usage, dict):
            return
        self.input = _last(self.input, usage.get("prompt_tokens"))
        self.output = _last(self.output, usage.get("completion_tokens"))
        self.reasoning = _last(self.reasoning, usage.get("reasoning_tokens"))
        self.reasoning = _last(self.reasoning, _inside(usage, "completion_tokens_details", "reasoning_tokens"))
        self.cached = _last(self.cached, usage.get("cached_tokens"))
        self.cached = _last(self.cached, usage.get("prompt_cache_hit_tokens"))
        self.cached = _last(self.cached, _inside(usage, "prompt_tokens_details", "cached_tokens"))


class ToolCalls:
    """The calls that a stream builds up from pieces, in order of their first piece; arguments take up `room`."""

    __slots__ = ("_calls", "_last", "_room")

    def __init__(self, room: Room) -> None:
        self._room = room
        self._calls: dict[tuple[int, int], tuple[list[str], Kept]] = {}
        self._last = (0, -1)

    def take(self, choice: int, delta: dict[str, Any]) -> bool:
        """Read a delta's calls, the old `function_call` too; True if a name or arguments came."""
        found = delta.get("tool_calls")
        output = False
        for call in found if isinstance(found, list) else ():
            if isinstance(call, dict):
                output |= self._add(choice, call)
        old = delta.get("function_call")
        if isinstance(old, dict):
            output |= self._add(choice, {"index": 0, "function": old})
        return output

    def joined(self) -> list[dict[str, str]]:
        """Every call with its whole name and arguments."""
        return [
            {"name": whole("".join(name))[:MAX_CALL_NAME], "arguments": arguments.text()}
            for name, arguments in self._calls.values()
        ]

    def _add(self, choice: int, call: dict[str, Any]) -> bool:
        function = call.get("function")
        if not isinstance(function, dict):
            return False
        name, arguments = _text(function.get("name")), _text(function.get("arguments"))
        if not name and not arguments:
            return False
        key = self._key(choice, call, begins=name != "")
        kept = self._calls.get(key)
        if kept is None:
            if len(self._calls) == MOST_CALLS:
                return True
            kept = self._calls[key] = ([], Kept(self._room))
        names, pieces = kept
        if name and names != [name] and sum(map(len, names)) < MAX_CALL_NAME:  # some repeat all of it in every piece
            names.append(name[:MAX_CALL_NAME])
        pieces.write(arguments)
        return True

    def _key(self, choice: int, call: dict[str, Any], *, begins: bool) -> tuple[int, int]:
        index = call.get("index")
        if type(index) is not int:  # left out: a name begins the next call, arguments alone go on with the last
            same = self._last[0] == choice and self._last[1] >= 0
            index = self._last[1] + (1 if begins else 0) if same else 0
        self._last = (choice, index)
        return self._last


def content_texts(content: Any) -> tuple[str, str]:
    """(answer, thinking) of a content that is a list of typed parts; ("", "") for anything else but text."""
    if isinstance(content, str):
        return content, ""
    answer, thinking = "", ""
    for part in content if isinstance(content, list) else ():
        if not isinstance(part, dict):
            continue
        if isinstance(part.get("text"), str):
            answer += part["text"]
        inner = part.get("thinking")
        thinking += inner if isinstance(inner, str) else content_texts(inner)[0] if isinstance(inner, list) else ""
    return answer, thinking


def thinking_text(delta: dict[str, Any]) -> str:
    """The thinking channel, under either of its names; a server that sends both sends the same text twice."""
    for name in ("reasoning_content", "reasoning"):
        found = delta.get(name)
        if isinstance(found, str) and found:
            return found
    return ""


def server_times(timings: Any, usage: Any) -> ServerTimes | None:
    """Phase times: llama.cpp's `timings` in milliseconds, Groq's inside usage in seconds."""
    if isinstance(timings, dict):
        prefill, decode = _seconds(timings.get("prompt_ms"), 1000), _seconds(timings.get("predicted_ms"), 1000)
    elif isinstance(usage, dict):
        prefill, decode = _seconds(usage.get("prompt_time"), 1), _seconds(usage.get("completion_time"), 1)
    else:
        return None
    return None if prefill is None and decode is None else ServerTimes(prefill_s=prefill, decode_s=decode)


def token_count(found: Any) -> int | None:
    """A count that can be one, else None: unknown."""
    if isinstance(found, float) and found.is_integer():
        found = int(found)
    if isinstance(found, bool) or not isinstance(found, int) or not 0 <= found <= MAX_TOKENS:
        return None
    return found


def json_text(found: Any) -> str:
    """A JSON value as text; "" if it is nested too deep to be written."""
    try:
        return json.dumps(found, ensure_ascii=False, separators=(",", ":"))
    except RecursionError:
        return ""


def read_odd_json(payload: bytes) -> Any:
    """JSON that the fast reader refuses though a reader of text takes it: halved characters. Raises ValueError.

    An event stream is text before it is JSON: bytes that are no UTF-8 become U+FFFD.
    """
    if len(payload) > MAX_ODD_BYTES:
        raise ValueError
    try:
        return json.loads(payload.decode("utf-8", "replace"), parse_constant=_refuse)
    except RecursionError:
        raise ValueError from None


def _text(found: Any) -> str:
    """A piece of a call; some servers send arguments as an object and not as its text."""
    if isinstance(found, dict):
        return json_text(found) if found else ""
    return found if isinstance(found, str) else ""


def _refuse(constant: str) -> None:
    raise ValueError(constant)  # NaN and Infinity are no JSON


def _last(before: int | None, found: Any) -> int | None:
    if found is None:  # the usual case, in every chunk of servers with running usage
        return before
    count = token_count(found)
    return before if count is None else count


def _inside(usage: dict[str, Any], place: str, name: str) -> Any:
    details = usage.get(place)
    return details.get(name) if isinstance(details, dict) else None


def _seconds(found: Any, per_second: int) -> float | None:
    if isinstance(found, bool) or not isinstance(found, int | float) or not math.isfinite(found):
        return None
    seconds = found / per_second
    return seconds if 0 <= seconds <= MAX_SERVER_S else None
