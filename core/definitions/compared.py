"""The terms of a comparison, the fixed words and the reference speeds. Texts only."""

from dataclasses import dataclass

from core.definitions.spec import MetricSpec
from core.records import FailureKind, Outcome, TokenSource
from core.run import RunState, StoppedBy
from core.steadiness import FEWEST_ANSWERS, FEWEST_ROUNDS
from core.words import say

COMPARED_TERMS = (
    MetricSpec(
        key="endpoint",
        title=say("Endpoint"),
        definition=say("A base URL with its API dialect, the name of its key and its limits."),
        group="compared",
    ),
    MetricSpec(
        key="configuration",
        title=say("Configuration"),
        definition=say(
            "What answers: model, quantization, engine and its settings, at an endpoint or on a server that Paceline "
            "starts."
        ),
        group="compared",
    ),
    MetricSpec(
        key="workload",
        title=say("Workload"),
        definition=say("What is asked: prompts, lengths, turns, prefix sharing, sampling."),
        group="compared",
    ),
    MetricSpec(
        key="load",
        title=say("Load"),
        definition=say("How it is asked: closed or open loop, levels, duration."),
        group="compared",
    ),
    MetricSpec(
        key="experiment",
        title=say("Experiment"),
        definition=say("Configurations × loads of one workload, repeated."),
        caution=say("Runs of different configurations are interleaved, so that drift of the machine hits all alike."),
        group="compared",
    ),
    MetricSpec(
        key="comparison",
        title=say("Comparison"),
        definition=say("Chosen runs, one of them the baseline. A published comparison is frozen."),
        group="compared",
    ),
    MetricSpec(
        key="verdict",
        title=say("Verdict"),
        definition=say(
            "Better or worse: the whole 95 % interval of the ratio lies on one side of 1. Equivalent: the whole "
            "interval lies within 3 %. Unclear: neither. Not enough data: no interval can be given. It rests on "
            "repeats that took turns: the same repeat of both sides is a pair, and the interval is Student's over the "
            "logarithms of the pairs' ratios, from 3 pairs on. What slows both of a pair alike is in none of them."
        ),
        caution=say(
            "Two single runs say only that these two runs differ, or that no difference was seen: another run of the "
            "same configuration may differ too. Within a run, the interval of a latency comes from drawing its "
            "requests again, whole rounds of the closed loop under load; that of a throughput from how much output "
            "varied over the run, given at least {answers} answers and {rounds} rounds.",
            answers=FEWEST_ANSWERS,
            rounds=FEWEST_ROUNDS,
        ),
        group="compared",
    ),
    MetricSpec(
        key="token",
        title=say("Token, three meanings"),
        definition=say(
            "The unit of model text, which this glossary means; an access token or JWT, for sign-in; an API key."
        ),
        caution=say("A 401 or a failed token exchange is a sign-in problem, never a speed problem."),
        group="compared",
    ),
    MetricSpec(
        key="finding",
        title=say("Finding"),
        definition=say("A reason to doubt or to act: what happened, why it matters, what to do."),
        group="compared",
    ),
)

VERDICT_WORDS = ("better", "worse", "equivalent", "unclear", "not_enough_data")

# Topic -> the only words that the product uses for it.
FIXED_WORDS: dict[str, tuple[str, ...]] = {
    say("Run state"): tuple(RunState),
    say("Request counts"): (*Outcome, "warmup"),
    say("Failure kind"): tuple(FailureKind),
    say("Token source"): tuple(TokenSource),
    say("Verdict"): VERDICT_WORDS,
    say("Stopped by"): tuple(StoppedBy),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class SpeedBand:
    """Decode speeds of one stream that people quote, tokens/s: never to be held against a total.

    Attributes:
        high: None where it is open.
        remark: What they stand for.
        brief: The same for a figure; "" where it is not drawn.
    """

    low: float
    high: float | None
    remark: str
    brief: str = ""


SPEED_BANDS = (
    SpeedBand(low=5.0, high=10.0, remark=say("people read about this fast")),
    SpeedBand(low=50.0, high=150.0, remark=say("ordinary online inference"), brief=say("ordinary 50–150")),
    SpeedBand(low=300.0, high=500.0, remark=say("tuned or quantized engines"), brief=say("tuned 300–500")),
    SpeedBand(
        low=750.0,
        high=None,
        remark=say("the front of GPU serving; hard-wired silicon reaches 14,000"),
        brief=say("GPU front 750+"),
    ),
)
# Waits for the first token, seconds, and what they feel like.
WAIT_LINES: tuple[tuple[float, str], ...] = (
    (1.0, say("a chat feels slow without a first token")),
    (8.0, say("users leave")),
)
