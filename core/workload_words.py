"""What a workload asks, as people read it: lengths, and what else sets it apart. Measures nothing, counts no token."""

from hashlib import sha256

from core.lengths import pairs_words
from core.shortening import cut
from core.words import say
from core.workload import Spread, Workload

SHOWN_PAIRS, SHOWN_TEXT = 3, 60
LANGUAGES = {"english": "English", "chinese": "Chinese", "code": "code", "mixed": "English, Chinese and code by turns"}


def length_words(mean: int, spread: Spread | None) -> str:
    """One length: `128`, `64 to 256`, `128 ± 32 (normal, 16 to 512)`."""
    if spread is None:
        return f"{mean:,}"
    bounds = say("{low:,} to {high:,}", low=spread.low, high=spread.high)
    if spread.shape == "uniform":
        return bounds
    return say(
        "{mean:,} ± {stdev:g} ({shape}, {bounds})",
        mean=mean, stdev=spread.stdev, shape=say(spread.shape), bounds=bounds,
    )  # fmt: skip


def lengths_words(workload: Workload) -> str:
    """Prompt and answer: `128 → 64`; of pairs the first few, and their mean."""
    asked, answer = workload.input_tokens, workload.output_tokens
    if workload.pairs:
        shown = ", ".join(_pair(one.input_tokens, one.output_tokens) for one in workload.pairs[:SHOWN_PAIRS])
        more = len(workload.pairs) - SHOWN_PAIRS
        shown += say(" and {n} more", n=more) if more > 0 else ""
        return say("{pairs} (pairs, on average {mean})", pairs=shown, mean=_pair(asked, answer))
    return f"{length_words(asked, workload.input_spread)} → {length_words(answer, workload.output_spread)}"


def exact_lengths(workload: Workload) -> str:
    """The same with every pair and its weight: two workloads whose lengths are drawn alike say the same, no others."""
    if not workload.pairs:
        return lengths_words(workload)
    return say("pairs {pairs}", pairs=_shortened(pairs_words(workload.pairs)))


def text_words(text: str | None) -> str:
    """A system prompt in one line: its begin, and where that is not all of it, what tells it from others alike."""
    if text is None:
        return say("none")
    return f"“{_shortened(text)}”"


def _shortened(text: str) -> str:
    line = " ".join(text.split())
    if line == text and len(text) <= SHOWN_TEXT:
        return text
    mark = sha256(text.encode()).hexdigest()[:6]
    return say("{begin} ({n:,} characters, {mark})", begin=cut(line, SHOWN_TEXT), n=len(text), mark=mark)


def stop_words(workload: Workload) -> str:
    """The texts at which answers end; none where there are none."""
    return ", ".join(repr(one) for one in workload.stop) or say("none")


def asked_words(workload: Workload) -> str:
    """What sets it apart beside lengths and language, in one line; "" if nothing does."""
    told = [
        say("system prompt") if workload.system_prompt is not None else "",
        say("answers of exactly that length") if workload.ignore_eos else "",
        say("stops at {texts}", texts=stop_words(workload)) if workload.stop else "",
        "" if workload.temperature == 0 else _temperature(workload.temperature),
        say("more in the body: {keys}", keys=", ".join(workload.extra_body)) if workload.extra_body else "",
        "" if workload.stream else say("not streamed"),
        "" if workload.nonce else say("the same prompts in every run"),
        say("seed {n}", n=workload.seed) if workload.seed else "",
    ]
    return ", ".join(filter(None, told))


def saved_words(workload: Workload) -> str:
    """Under which name and version it is kept; "" for one that was typed."""
    if workload.saved_name is None:
        return ""
    return say("{name}, version {n}", name=workload.saved_name, n=workload.saved_version or 1)


def _temperature(temperature: float | None) -> str:
    if temperature is None:
        return say("the server's own temperature")
    return say("temperature {n:g}", n=temperature)


def _pair(asked: int, answer: int) -> str:
    return f"{asked:,} → {answer:,}"
