"""The top of a run's page: what it is, its six numbers, and what a tutorial's script would have printed."""

from collections.abc import Collection

from core.doubts.claims import engine, version
from core.endpoint import SIMULATED
from core.fleet.local import run_name
from core.metrics import METRICS
from core.quantities import number, percent, seconds_alike
from core.run import Run, is_renamed
from core.summary import Summary, counted
from core.words import say
from pages.parts.look import badge, pair, zone
from pages.parts.measures import COUNTS_CANNOT_BE, Card, definition, draw_cards, sentence, weak
from pages.parts.text import count, escape_markdown, in_seconds, plural, rate, short, when

TIMES = (
    "Measured: from the first request sent to the last one's end, without warm-up; throughput is divided by it.\n\n"
    "The whole run: with preflight, opening of connections and warm-up before it, and the last decoding after it."
)
Grey = Collection[tuple[str, str]]  # metric and statistic of every number that rests on too little


def title(run: Run, *, steady: bool = False) -> str:
    """Its own name, else label and load, as markdown, and that the numbers are of its steady state only."""
    told = escape_markdown(short(run.name, 80)) if _renamed(run) else _label_and_load(run)
    return say("{run}, steady state", run=told) if steady else told


def _renamed(run: Run) -> bool:
    return is_renamed(run.name, label=run.plan.configuration.label, level=run.plan.load.words())


def _label_and_load(run: Run) -> str:
    label = escape_markdown(short(run.plan.configuration.label, 48))
    load = run.plan.load
    words = {"label": label, "level": load.words(), "n": len(load.stages)}
    told = say("{label} at {level}", **words)
    if load.stages:
        told = say(
            "{label} in {n} stages up to {level}" if len(load.stages) > 1 else "{label}, a ramp up to {level}", **words
        )
    return told


def badges(run: Run) -> str:
    """State, and that the times are made up where they are."""
    simulated = run.plan.configuration.endpoint.demo == SIMULATED
    return badge(run.state.value) + (f" :small[:violet-badge[{say(SIMULATED)}]]" if simulated else "")


def line(run: Run) -> str:
    """What answered, when, and where it belongs, as markdown; of a renamed run what it is, too."""
    configuration = run.plan.configuration
    served_by = " ".join(word for word in (engine(run), version(run)) if word)
    parts = [run_name(run.plan) if _renamed(run) else "", configuration.model, served_by, configuration.endpoint.name]
    told = " · ".join(escape_markdown(short(part, 60)) for part in parts if part)
    told += f" · {when(run.started_at, zone())}"
    name = str((run.experiment or {}).get("name") or "")
    return told + (f" · “{escape_markdown(short(name, 60))}”" if name else "")


def cards(summary: Summary, grey: Grey) -> None:
    """Six numbers; grey where they rest on too little."""
    if "ttft_s" in summary.distributions or not summary.distributions:
        latency = [
            _latency(summary, grey, "ttft_s", "p50", "{min} to {max}", "min", "max"),
            _latency(summary, grey, "ttft_s", "p95", "p99 {p99}", "p99"),
            _latency(summary, grey, "tpot_s", "p50", "p95 {p95}", "p95"),
        ]
    else:
        latency = [_latency(summary, grey, "e2e_s", name, "whole answers, not streamed") for name in ("p50", "p95")]
        none = f":gray[{say('not streamed')}]"
        latency.append(Card(title=say("TTFT and TPOT"), value=none, note=say("do not exist"), metric="ttft_s"))
    made = [*latency, _output(summary, grey), _one_stream(summary, grey), _success(summary)]
    draw_cards(pair("cards3_head", 6, gap="xsmall"), made)


def _latency(summary: Summary, grey: Grey, metric: str, name: str, note: str, *beside: str) -> Card:
    """One percentile, and under it others of the distribution that the note names, all in one unit."""
    found = summary.distributions.get(metric)
    mine, *others = seconds_alike(*(getattr(found, one, None) for one in (name, *beside)))
    return Card(
        title=f"{METRICS[metric].title} {name}",
        value=mine,
        note=say(note, **dict(zip(beside, others, strict=True))) if found else "",
        metric=metric,
        weak=weak(grey, found, metric, name),
    )


def _output(summary: Summary, grey: Grey) -> Card:
    requests = summary.throughput.get("requests_per_s")
    return Card(
        title=say("Output tokens"),
        value=rate(summary.throughput.get("output_tokens_per_s")),
        note=say("{rate} requests/s", rate=number(requests)) if requests else "",
        metric="output_tokens_per_s",
        weak=COUNTS_CANNOT_BE if ("output_tokens_per_s", "") in grey else "",
    )


def _one_stream(summary: Summary, grey: Grey) -> Card:
    found = summary.distributions.get("decode_tps")
    whole = summary.distributions.get("e2e_tps")
    return Card(
        title=say("Tokens of one stream"),
        value=rate(found.p50 if found else None),
        note=say("{rate} /s with the wait", rate=number(whole.p50)) if whole else "",
        metric="decode_tps",
        weak=weak(grey, found, "decode_tps", "p50"),
    )


def _success(summary: Summary) -> Card:
    counts = summary.counts
    return Card(
        title=say("Success"),
        value=percent(summary.success_rate, digits=1),
        note=say("{ok} of {all}", ok=count(counts.get("ok", 0)), all=count(counted(counts))),
        metric="success_rate",
    )


def under_the_cards(run: Run, summary: Summary, whole: Summary | None) -> None:
    """What a tutorial's script would have printed; how long was measured, and what is in no number.

    `summary` is of the part that the cards show, `whole` of all of the run; None where they show a part, whose time is
    told with it.
    """
    if summary.tutorial is not None:
        sentence(summary.tutorial.sentence, help_text=definition("tutorial"))
    left_out = [
        plural(summary.counts.get(key, 0), one, many)
        for key, one, many in (
            ("warmup", "warm-up request", "warm-up requests"),
            ("cancelled", "cancelled request", "cancelled requests"),
        )
        if summary.counts.get(key)
    ]
    times = _times(run, whole) if whole else ""
    none = say("In no number above: {what}.", what=say(" and ").join(left_out)) if left_out else ""
    if times or none:
        sentence(f"{times} {none}".strip(), help_text=say(TIMES) if times else None)


def _times(run: Run, whole: Summary) -> str:
    """How long was measured and how long the run took: two times that are easily taken for one another."""
    if whole.duration_s is None:
        return ""
    told = say("Measured for {span}", span=in_seconds(whole.duration_s))
    if run.ended_at is not None:
        took = in_seconds((run.ended_at - run.started_at).total_seconds())
        told += say("; the whole run took {span}", span=took)
    return f"{told}."
