"""Prompts of made-up text, unique from their first word on, and the bytes of whole requests. Seeded; no clock."""

import random
from dataclasses import dataclass, replace
from typing import Any
from urllib.parse import urlsplit

from core.loadgen.pieces import Piece, Pieces, separator
from core.loadgen.seen import Prepared
from core.loadgen.vocabulary import WORDS, guessed
from core.plan import RunPlan
from core.trace import Rows
from core.wire.openai import path, request_body

NONCE_WORDS = 6  # the request's number in two words, its run in four


@dataclass(frozen=True, slots=True, kw_only=True)
class Known:
    """What a server's own tokenizer said of the texts that prompts are made of.

    Attributes:
        pieces: Of the workload's language, with their lengths.
        firsts, words: Words of one token each: at the very beginning of a text, and with a blank before them.
    """

    pieces: tuple[Piece, ...]
    firsts: tuple[str, ...]
    words: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Shape:
    """What preflight found about the request that this endpoint accepts.

    Attributes:
        overhead_tokens: Prompt tokens that the chat template and a system prompt add to the text.
        overhead_is_counted: By the server's own count of a text, and not by a guess.
        tokens_per_word: Tokens of one of our words for this model, where only its usage tells.
        known: Lengths of texts, where the server counts them.
    """

    token_parameter: str = "max_tokens"  # noqa: S105 -- a parameter's name
    stream_options: bool = True
    ignore_eos: bool = False
    temperature: bool = True
    overhead_tokens: float = 0.0
    overhead_is_counted: bool = False
    tokens_per_word: float = 1.0
    known: Known | None = None

    def changed(self, change: str) -> "Shape | None":
        """The shape after one of the changes that an error body can ask for; None if it asks for nothing known."""
        known: dict[str, dict[str, Any]] = {
            "drop stream_options": {"stream_options": False},
            "use max_completion_tokens": {"token_parameter": "max_completion_tokens"},
            "use max_tokens": {"token_parameter": "max_tokens"},
            "drop ignore_eos": {"ignore_eos": False},
            "drop temperature": {"temperature": False},
        }
        wanted = known.get(change)
        return None if wanted is None else replace(self, **wanted)


class Prompts:
    """Makes requests ready: the same plan, seed and tag give the same bytes."""

    def __init__(
        self,
        plan: RunPlan,
        *,
        tag: str,
        key_header: tuple[str, str] | None,
        shape: Shape,
        rows: Rows | None = None,
    ) -> None:
        """`rows` of a trace give every measured request its lengths."""
        self._plan = plan
        self.rows = rows
        self._tag = tag
        self._shape = shape
        self._head = _head(plan, key_header)
        endpoint = plan.configuration.endpoint
        self._url = endpoint.base_url + path(endpoint.api)
        known, seed = shape.known, plan.workload.seed
        texts = (
            [Piece(text=text, tokens=tokens) for text, tokens in guessed(plan.workload.language)]
            if known is None
            else known.pieces
        )
        self._pieces = Pieces(texts, seed=seed)
        self._between = separator(piece.text for piece in texts)  # a line's end is one token
        self._firsts, self._words = (WORDS, WORDS) if known is None else (known.firsts, known.words)

    def prompt(self, index: int, *, warmup: bool) -> str:
        """A text of about as many tokens as this request asks for; its first words exist in no other prompt."""
        return self.text(index, self.lengths(index, warmup=warmup)[0], warmup=warmup)

    def text(self, index: int, tokens: int, *, warmup: bool) -> str:
        """A text that makes a prompt of `tokens` tokens, the template's included."""
        return self._made(index, tokens, warmup=warmup)[0]

    def _made(self, index: int, tokens: int, *, warmup: bool) -> tuple[str, int | None]:
        """Such a text, and the prompt's length with it, where the server's own tokenizer told both of its parts."""
        text, length = self.written(index, tokens, warmup=warmup)
        shape = self._shape
        # Without a nonce it begins with a word that was counted behind a blank: there it may be one token more.
        exact = shape.known is not None and shape.overhead_is_counted and self._plan.workload.nonce
        return text, round(shape.overhead_tokens) + length if exact else None

    def written(self, index: int, tokens: int, *, warmup: bool) -> tuple[str, int]:
        """Such a text, and its own length in tokens as far as those of its parts are known."""
        workload, shape = self._plan.workload, self._shape
        wanted = max(1, round((tokens - shape.overhead_tokens) / shape.tokens_per_word))
        nonce = " ".join(self._nonce(index, warmup=warmup)) if workload.nonce else ""
        chosen = random.Random(f"{workload.seed}:{int(warmup)}:{index}")  # noqa: S311 -- words, not secrets
        if not nonce:
            text, length = self._pieces.text(wanted, chosen)
            return text.lstrip(" "), length
        text, length = self._pieces.text(max(0, wanted - NONCE_WORDS - len(self._between)), chosen)
        if not length:
            return nonce, NONCE_WORDS
        return nonce + self._between + text, NONCE_WORDS + len(self._between) + length

    def lengths(self, index: int, *, warmup: bool) -> tuple[int, int]:
        """Tokens of a request's prompt and of its answer."""
        workload = self._plan.workload
        if self.rows is not None and not warmup:
            return self.rows.input_tokens[index], self.rows.output_tokens[index]
        if not workload.varies:
            return workload.input_tokens, workload.output_tokens
        # Drawn apart from the words: with another spread the texts of the same seed begin alike.
        return workload.lengths(random.Random(f"{workload.seed}:length:{int(warmup)}:{index}"))  # noqa: S311

    def prepare(self, index: int, *, warmup: bool = False) -> Prepared:
        """The request with number `index`, all its bytes."""
        asked, answer = self.lengths(index, warmup=warmup)
        text, sent = self._made(index, asked, warmup=warmup)
        body = self.body(text, output_tokens=answer, stream=self._plan.workload.stream)
        return self.wrap(body, index=index, warmup=warmup, input_tokens=asked, output_tokens=answer, sent_tokens=sent)

    def body(self, prompt: str, *, output_tokens: int, stream: bool) -> bytes:
        """The JSON body, in the shape that the endpoint accepts."""
        plan, shape = self._plan, self._shape
        return request_body(
            model=plan.configuration.model,
            api=plan.configuration.endpoint.api,
            prompt=prompt,
            output_tokens=output_tokens,
            stream=stream,
            temperature=plan.workload.temperature if shape.temperature else None,
            token_parameter=shape.token_parameter,
            stream_options=shape.stream_options,
            ignore_eos=shape.ignore_eos,
            system_prompt=plan.workload.system_prompt,
            stop=plan.workload.stop,
            extra_body=plan.workload.extra_body,
        )

    def wrap(
        self,
        body: bytes,
        *,
        index: int,
        warmup: bool,
        input_tokens: int,
        output_tokens: int,
        sent_tokens: int | None = None,
    ) -> Prepared:
        """Put the head before a body. The request id is unique for every request of every run.

        `sent_tokens`: the prompt's length, where it was counted.
        """
        request_id = f"{self._tag}-{'w' if warmup else 'r'}{index}"
        head = self._head % (request_id.encode(), len(body))
        return Prepared(
            index=index,
            warmup=warmup,
            request_id=request_id,
            payload=head + body,
            input_tokens=input_tokens,
            output_tokens=output_tokens,
            url=self._url,
            sent_tokens=sent_tokens,
        )

    def _nonce(self, index: int, *, warmup: bool) -> list[str]:
        number = index * 2 + int(warmup)
        number, first = divmod(number, len(self._firsts))
        number, second = divmod(number, len(self._words))
        tagged = random.Random(f"{self._tag}:{number}")  # noqa: S311 -- words, not secrets
        return [self._firsts[first], self._words[second], *tagged.choices(self._words, k=NONCE_WORDS - 2)]


def _head(plan: RunPlan, key_header: tuple[str, str] | None) -> bytes:
    endpoint = plan.configuration.endpoint
    parts = urlsplit(endpoint.base_url)
    lines = [
        f"POST {parts.path.rstrip('/')}{path(endpoint.api)} HTTP/1.1",
        f"Host: {parts.netloc}",
        "Content-Type: application/json",
        "Accept: text/event-stream, application/json" if plan.workload.stream else "Accept: application/json",
        "Accept-Encoding: identity",
        "User-Agent: paceline",
        *(f"{name}: {value}" for name, value in endpoint.headers),
        *([f"{key_header[0]}: {key_header[1]}"] if key_header else []),
    ]
    text = "\r\n".join(lines).replace("%", "%%")
    return text.encode() + b"\r\nX-Request-Id: %b\r\nContent-Length: %d\r\n\r\n"
