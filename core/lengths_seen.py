"""How long prompts and answers were: as asked for, as sent, as the server counted. Adds up records, judges nothing."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass

from core.records import Outcome, RequestRecord
from core.summary import Distribution, distribution


@dataclass(frozen=True, slots=True, kw_only=True)
class LengthsSeen:
    """Tokens of the prompts, or of the answers, over the successful requests; None is not known of any.

    Attributes:
        sent: By what the server's tokenizer told before the run; of answers None.
        counted: By the server's count of each request.
        apart: How much more was counted than asked for, as a share, over the requests of which both are known.
    """

    asked: Distribution | None
    sent: Distribution | None
    counted: Distribution | None
    apart: float | None


def lengths_seen(records: Iterable[RequestRecord]) -> tuple[LengthsSeen, LengthsSeen]:
    """Of the prompts, and of the answers."""
    answered = [record for record in records if not record.warmup and record.outcome is Outcome.OK]

    def told(name: str) -> Distribution | None:
        values = [value for record in answered if (value := getattr(record, name)) is not None]
        return distribution(map(float, values))

    prompts = LengthsSeen(
        asked=told("requested_input_tokens"),
        sent=told("sent_input_tokens"),
        counted=told("input_tokens"),
        apart=_apart(answered, lambda record: (record.requested_input_tokens, record.input_tokens)),
    )
    answers = LengthsSeen(
        asked=told("requested_output_tokens"),
        sent=None,
        counted=told("output_tokens"),
        apart=_apart(answered, lambda record: (record.requested_output_tokens, record.output_tokens)),
    )
    return prompts, answers


def _apart(
    answered: Iterable[RequestRecord], both: Callable[[RequestRecord], tuple[int | None, int | None]]
) -> float | None:
    pairs = [(asked, counted) for asked, counted in map(both, answered) if asked is not None and counted is not None]
    wanted = sum(asked for asked, _ in pairs)
    return (sum(counted for _, counted in pairs) - wanted) / wanted if wanted else None
