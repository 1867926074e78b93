"""Doubts about the prompts: were they as long as asked for? Looks at counts of tokens, never at a text."""

from collections.abc import Iterator

from core.doubts.evidence import Evidence
from core.doubts.finding import Finding
from core.quantities import number, percent
from core.words import say

APART_SHARE = 0.02
NONCE_TOKENS = 7  # with the line's end behind it: no prompt has a shorter text


def prompt_doubts(seen: Evidence) -> Iterator[Finding]:
    """Prompts that the server counted longer or shorter than asked; the template's tokens are asked for with them."""
    pairs = [
        (record.input_tokens, record.requested_input_tokens)
        for record in seen.answered
        if record.input_tokens is not None and record.requested_input_tokens
    ]
    asked = sum(wanted for _, wanted in pairs)
    apart = sum(abs(counted - wanted) for counted, wanted in pairs)
    if not pairs or apart <= APART_SHARE * asked:
        return
    counted = sum(count for count, _ in pairs)
    yield Finding(
        kind="prompt_lengths",
        level="act",
        what=say(
            "Prompts had {counted} tokens on average by the server's count, {asked} were asked for: {share} apart.",
            counted=number(counted / len(pairs)),
            asked=number(asked / len(pairs)),
            share=percent(apart / asked, digits=1),
        ),
        why=say("TTFT grows with the prompt, so it is that of another length than the plan names."),
        do=_what_to_do(seen, shortest=min(wanted for _, wanted in pairs)),
    )


def _what_to_do(seen: Evidence, *, shortest: int) -> str:
    template = seen.run.preflight.template_tokens if seen.run.preflight is not None else None
    if template is not None and shortest <= template + NONCE_TOKENS:
        return say(
            "Ask for more than {least} tokens: the template and the system prompt alone have {template}.",
            least=template + NONCE_TOKENS,
            template=template,
        )
    return say("Read the lengths as the server counted them, or ask for as many more or fewer.")
