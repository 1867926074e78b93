"""A prepared request, and what was seen of it once all is decoded: clock readings and the answer become a record."""

from dataclasses import dataclass, replace

from core.records import Failure, RequestRecord
from core.wire.openai import Answer


@dataclass(frozen=True, slots=True, kw_only=True)
class Prepared:
    """A request made ready before it is due: all its bytes, head and body.

    Attributes:
        input_tokens, output_tokens: As asked for.
        sent_tokens: Of the prompt as it was made, the template's included; None where nothing tells them.
    """

    index: int
    warmup: bool
    request_id: str
    payload: bytes
    input_tokens: int
    output_tokens: int
    url: str = ""
    sent_tokens: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Seen:
    """One request at its end. Nanoseconds of the monotonic clock; `sent_ns` is 0 if it was never sent."""

    prepared: Prepared
    started_ns: int
    scheduled_ns: int | None
    sent_ns: int
    ended_ns: int
    connect_s: float | None
    reads: int
    answer: Answer | None
    failure: Failure | None

    def record(self, *, keep_text: bool) -> RequestRecord:
        """Its record; times count from the run's start."""
        prepared, answer = self.prepared, self.answer
        basis = RequestRecord(
            request_id=prepared.request_id,
            index=prepared.index,
            warmup=prepared.warmup,
            scheduled_s=None if self.scheduled_ns is None else self._since_start(self.scheduled_ns),
            sent_s=self._since_start(self.sent_ns) if self.sent_ns else None,
            ended_s=self._since_start(self.ended_ns),
            connect_s=self.connect_s,
            requested_input_tokens=prepared.input_tokens,
            sent_input_tokens=prepared.sent_tokens,
            requested_output_tokens=prepared.output_tokens,
            failure=self.failure,
            reads=self.reads,
        )
        return basis if answer is None else self._answered(basis, answer, keep_text=keep_text)

    def _answered(self, basis: RequestRecord, answer: Answer, *, keep_text: bool) -> RequestRecord:
        chunks = answer.chunk_us
        whole = not answer.streamed and self.failure is None
        return replace(
            basis,
            first_token_s=self._at(chunks[0]) if chunks else None,
            first_answer_s=self._at(answer.first_answer_us) if answer.streamed else None,
            last_token_s=self._at(chunks[-1]) if chunks else (basis.ended_s if whole else None),
            input_tokens=answer.input_tokens,
            output_tokens=answer.output_tokens,
            reasoning_tokens=answer.reasoning_tokens,
            cached_tokens=answer.cached_tokens,
            token_source=answer.token_source,
            finish_reason=answer.finish_reason,
            server=answer.server,
            streamed=answer.streamed,
            chunk_us=chunks,
            text=answer.text if keep_text else None,
            reasoning_text=(answer.reasoning_text or None) if keep_text else None,
        )

    def _since_start(self, at_ns: int) -> float:
        return (at_ns - self.started_ns) / 1e9

    def _at(self, us: int | None) -> float | None:
        return None if us is None else self._since_start(self.sent_ns + us * 1000)
