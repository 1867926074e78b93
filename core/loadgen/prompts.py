"""Prompts of random words, unique from their first word on, and the bytes of whole requests. Seeded; no clock."""

import random
from dataclasses import dataclass, replace
from typing import Any
from urllib.parse import urlsplit

from core.loadgen.seen import Prepared
from core.loadgen.vocabulary import WORDS
from core.plan import RunPlan
from core.wire.openai import path, request_body

DRAWN_WORDS, SPARE_WORDS = 500, 5000
NONCE_WORDS = 6  # the request's number in two words, its run in four


@dataclass(frozen=True, slots=True, kw_only=True)
class Shape:
    """What preflight found about the request that this endpoint accepts.

    Attributes:
        overhead_tokens: Prompt tokens that the chat template adds around the words.
        tokens_per_word: Tokens of one of our words for this model.
    """

    token_parameter: str = "max_tokens"  # noqa: S105 -- a parameter's name
    stream_options: bool = True
    ignore_eos: bool = False
    temperature: bool = True
    overhead_tokens: float = 0.0
    tokens_per_word: float = 1.0

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

    def __init__(self, plan: RunPlan, *, tag: str, key_header: tuple[str, str] | None, shape: Shape) -> None:
        self._plan = plan
        self._tag = tag
        self._shape = shape
        self._head = _head(plan, key_header)
        endpoint = plan.configuration.endpoint
        self._url = endpoint.base_url + path(endpoint.api)
        self._long: list[str] = []

    def prompt(self, index: int, *, warmup: bool) -> str:
        """Random words, about `input_tokens` tokens; the first ones exist in no other prompt of any run."""
        workload, shape = self._plan.workload, self._shape
        wanted = max(1, round((workload.input_tokens - shape.overhead_tokens) / shape.tokens_per_word))
        nonce = self._nonce(index, warmup=warmup) if workload.nonce else []
        chosen = random.Random(f"{workload.seed}:{int(warmup)}:{index}")  # noqa: S311 -- words, not secrets
        return " ".join([*nonce, *self._words(chosen, max(0, wanted - len(nonce)))])

    def _words(self, chosen: random.Random, count: int) -> list[str]:
        """Random words; for a long prompt a random part of one long text, as drawing each would hold the loop."""
        if count <= DRAWN_WORDS:
            return chosen.choices(WORDS, k=count)
        if len(self._long) < count + SPARE_WORDS:
            once = random.Random(self._plan.workload.seed)  # noqa: S311 -- words, not secrets
            self._long = once.choices(WORDS, k=count + SPARE_WORDS)
        begin = chosen.randrange(SPARE_WORDS)
        return self._long[begin : begin + count]

    def prepare(self, index: int, *, warmup: bool = False) -> Prepared:
        """The request with number `index`, all its bytes."""
        workload = self._plan.workload
        body = self.body(
            self.prompt(index, warmup=warmup), output_tokens=workload.output_tokens, stream=workload.stream
        )
        return self.wrap(body, index=index, warmup=warmup, output_tokens=workload.output_tokens)

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
            extra_body=plan.workload.extra_body,
        )

    def wrap(self, body: bytes, *, index: int, warmup: bool, output_tokens: int) -> Prepared:
        """Put the head before a body. The request id is unique for every request of every run."""
        request_id = f"{self._tag}-{'w' if warmup else 'r'}{index}"
        head = self._head % (request_id.encode(), len(body))
        return Prepared(
            index=index,
            warmup=warmup,
            request_id=request_id,
            payload=head + body,
            input_tokens=self._plan.workload.input_tokens,
            output_tokens=output_tokens,
            url=self._url,
        )

    def _nonce(self, index: int, *, warmup: bool) -> list[str]:
        number = index * 2 + int(warmup)
        words = []
        for _ in range(2):
            number, place = divmod(number, len(WORDS))
            words.append(WORDS[place])
        tagged = random.Random(f"{self._tag}:{number}")  # noqa: S311 -- words, not secrets
        return words + tagged.choices(WORDS, k=NONCE_WORDS - 2)


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
