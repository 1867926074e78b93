"""What the objects of one answer add up to: texts, calls, counts, its end or its error. Never knows events or times."""

from typing import Any

from core.records import ServerTimes
from core.wire.chunk import (
    Counts,
    ToolCalls,
    content_texts,
    json_text,
    server_times,
    thinking_text,
    token_count,
)
from core.wire.errors import clean, says_error, sentence
from core.wire.kept import MOST_CHARACTERS, Kept, Room
from core.words import say

NOTHING, OUTPUT, ANSWER = 0, 1, 3  # what an object brought; answer text is output too
MAX_NAME = 300
MOST_CHOICES = 128  # whose texts are kept: as many as an answer may be asked for


class Reading:
    """Takes the objects of one answer in their order. `take` is called between two reads of the measuring process.

    Attributes:
        text, thinking: The two channels; `other_texts` holds the answer text of further choices.
        counted_at: Index of the first object after which the output was counted.
        error: The first error's sentence.
    """

    __slots__ = (
        "_room", "counted_at", "error", "finish_reason", "groq", "model", "other_texts", "server", "text", "thinking",
        "tools", "usage",
    )  # fmt: skip

    def __init__(self, *, keep_text: bool = True) -> None:
        self._room = Room(MOST_CHARACTERS if keep_text else 0)
        self.text = Kept(self._room)
        self.thinking = Kept(self._room)
        self.other_texts: dict[int, Kept] = {}
        self.tools: ToolCalls | None = None
        self.usage = Counts()
        self.groq = Counts()
        self.server: ServerTimes | None = None
        self.finish_reason: str | None = None
        self.model: str | None = None
        self.counted_at: int | None = None
        self.error: str | None = None

    def take(self, found: dict[str, Any], index: int) -> int:
        """Read the object with this index; tells what it brought."""
        choices = found.get("choices")
        brought = NOTHING
        if type(choices) is list:
            for choice in choices:
                if type(choice) is dict:
                    brought |= self._choice(choice)
        if (
            self.model is None
            or "error" in found
            or found.get("usage") is not None
            or "timings" in found
            or "x_groq" in found
            or not choices
            or type(choices) is not list
        ):
            self._rest(found, index)
        return brought

    def _choice(self, choice: dict[str, Any]) -> int:
        if choice.get("finish_reason") or "error" in choice:
            self._ending(choice)
        delta = choice.get("delta")
        if type(delta) is dict:
            text = delta.get("content")
            if type(text) is not str or len(delta) != 1 or choice.get("index"):
                return self._rich(choice, delta)
        else:
            text = choice.get("text")
            if type(text) is not str or choice.get("index"):
                return self._rich(choice, choice)
        if text:
            self.text.write(text)
            return ANSWER
        return NOTHING

    def _rich(self, choice: dict[str, Any], delta: dict[str, Any]) -> int:
        """A delta with other channels than plain text, or of another choice than the first."""
        found = choice.get("index")
        index = found if type(found) is int else 0
        answer, thinking = content_texts(delta.get("text") if delta is choice else delta.get("content"))
        if not answer and isinstance(delta.get("refusal"), str):
            answer = delta["refusal"]
        thinking = thinking or thinking_text(delta)
        brought = NOTHING
        if thinking:
            self.thinking.write(thinking)
            brought = OUTPUT
        if "tool_calls" in delta or "function_call" in delta:
            self.tools = self.tools or ToolCalls(self._room)
            brought |= self.tools.take(index, delta)
        if answer:
            self._write(index, answer)
            brought = ANSWER
        return brought

    def _write(self, choice: int, answer: str) -> None:
        text = self.text if choice == 0 else self.other_texts.get(choice)
        if text is None and len(self.other_texts) < MOST_CHOICES:
            text = self.other_texts[choice] = Kept(self._room)
        if text is not None:
            text.write(answer)

    def _ending(self, choice: dict[str, Any]) -> None:
        reason = choice.get("finish_reason")
        if isinstance(reason, str) and reason:
            self.finish_reason = reason[:MAX_NAME]
            self.usage.take(choice.get("usage"))  # where Moonshot puts it
        if choice.get("error"):
            self.fail(choice["error"])

    def _rest(self, found: dict[str, Any], index: int) -> None:
        """Everything of an object but its choices."""
        model = found.get("model")
        if self.model is None and isinstance(model, str) and model:
            self.model = clean(model)[:MAX_NAME]
        if says_error(found):
            self.fail(found)
        usage = found.get("usage")
        self.usage.take(usage)
        groq = found.get("x_groq")
        if isinstance(groq, dict):
            self.groq.take(groq.get("usage"))
            usage = groq.get("usage") or usage
            if groq.get("error"):
                self.fail(groq["error"])
        self.server = server_times(found.get("timings"), usage) or self.server
        if self.usage.cached is None and isinstance(found.get("timings"), dict):
            self.usage.cached = token_count(found["timings"].get("cache_n"))
        if self.counted_at is None and (self.usage.output or self.groq.output):
            self.counted_at = index

    def fail(self, found: Any) -> None:
        """An error, of any shape. The first one counts; later ones only repeat it."""
        if self.error is None:
            self.error = sentence(found) or clean(json_text(found)) or say("The server sent an error without a word.")

    def answer_text(self) -> str:
        """The answer; of several choices one after the other."""
        return self.text.text() + "".join(self.other_texts[index].text() for index in sorted(self.other_texts))

    def thinking_text(self) -> str:
        """What came in the thinking channel."""
        return self.thinking.text()

    def counts(self) -> tuple[Counts, str | None]:
        """The token counts and where they stood; None if the output was not counted."""
        if self.usage.output is not None:
            return self.usage, "usage"
        if self.groq.output is not None:
            return self.groq, "x_groq"
        return self.usage, None
