"""The figures of a comparison, from the runs as they are laid out. Draws values, decides nothing."""

from collections.abc import Sequence
from typing import Literal

import streamlit as st

from core.charts.differences import Interval, forest
from core.charts.differences import Row as ForestRow
from core.charts.distribution import boxes, ecdf
from core.charts.marks import in_full
from core.charts.sample import Series, time_unit
from core.charts.tradeoff import Curve, Line, Panel, Point, against_load, throughput_against_latency
from core.comparison import MARGIN, Statistic, change
from core.endpoint import SIMULATED
from core.lineup import Cell, Contender, Lineup
from core.metrics import METRICS
from core.percentile import FOR_P99
from core.quantiles import Sample
from core.quantities import in_percent
from core.slo import common_limit
from core.standing import LATENCIES, THROUGHPUT, Row, weak
from core.words import say
from pages.parts.compare_words import label_of
from pages.parts.look import mode, pair, plot, section
from pages.parts.measures import definitions, named_below

ARROW = {"lower": "↓", "higher": "↑"}


def series(contender: Contender) -> Series:
    """Name, colour and mark of a configuration on every figure."""
    return Series(name=contender.name, slot=contender.slot, note=say(SIMULATED) if contender.simulated else "")


def unit_of_load(line: Lineup) -> str:
    """What the levels of a comparison count, as axes say it."""
    return say("requests/s offered") if line.variable == "rate" else say("requests in flight")


def tradeoff(line: Lineup, metric: str, percentile: Statistic) -> None:
    """Throughput against latency, a line a configuration."""
    lines = [_line(contender, metric, percentile) for contender in line.contenders]
    drawn = [found for found in lines if found.points]
    if not drawn:
        section(say("Throughput against latency"))
        st.markdown(f":gray[{say('No run has both a throughput and this latency.')}]")
        return
    name = f"{METRICS[metric].title} {percentile}"
    slos = (entry.run.plan.slo for contender in line.contenders for entry in contender.entries)
    limit_s = common_limit(slos, metric, percentile)
    fig = throughput_against_latency(mode(), drawn, metric=name, limit_s=limit_s, unit_of_load=unit_of_load(line))
    plot(fig, "tradeoff")
    named_below((THROUGHPUT, metric))


def _line(contender: Contender, metric: str, percentile: Statistic) -> Line:
    points = []
    for level, cell in contender.cells.items():
        latency, throughput = cell.statistic(metric, percentile), cell.throughput(THROUGHPUT)
        if latency is not None and throughput is not None:
            faint = weak(cell, metric, percentile)
            points.append(Point(level=level, latency_s=latency, throughput=throughput, weak=faint))
    return Line(series=series(contender), points=points)


def differences(line: Lineup, rows: Sequence[Row], level: float) -> None:
    """The forest: each number's difference to the baseline."""
    drawn = [_forest_row(row) for row in rows]
    drawn = [row for row in drawn if row.intervals]
    title = say("Difference to {name} at {level}", name=in_full(series(line.baseline)), level=line.words(level))
    if not drawn:
        section(say("Difference to the baseline"))
        st.markdown(f":gray[{say('Nothing else was measured at this load.')}]")
        return
    plot(forest(mode(), drawn, title=title, margin=MARGIN * 100), "differences")
    named_below(tuple(dict.fromkeys(row.metric for row in rows)))


def _forest_row(row: Row) -> ForestRow:
    intervals = [
        Interval(
            series=series(against.contender),
            value=value,
            low=change(against.difference.low),
            high=change(against.difference.high),
            label=label_of(against),
            standing="neutral" if against.reservations else against.standing,
            weak=row.weak or against.weak,
        )
        for against in row.against
        if (value := change(against.difference.ratio)) is not None
    ]
    return ForestRow(title=f"{row.title}  {ARROW[row.better]}", intervals=intervals)


def load_panels(line: Lineup) -> None:
    """Latencies, output of the whole system, speed of one stream and failures; nothing if there is one load only."""
    if len(line.levels) < 2:
        return
    note = say("p50 solid, p99 dotted and from {n} answers on · all start at zero", n=FOR_P99)
    section(say("Against load"), note, definitions((*LATENCIES, THROUGHPUT, "decode_tps", "success_rate")))
    left, right = pair("pair_load", 2, gap="small")
    with left:
        panels = [_latency_panel(line, metric) for metric in LATENCIES]
        plot(against_load(mode(), panels, legend=True, x=unit_of_load(line)), "load_latency")
    with right:
        output = Panel(title=say("Output, tokens/s ↑"), curves=[_output_curve(c) for c in line.contenders])
        speed = Panel(
            title=say("One stream, tokens/s ↑"), curves=[_speed_curve(c) for c in line.contenders], bands=True
        )
        failed = Panel(title=say("Failed requests, % ↓"), curves=[_failed_curve(c) for c in line.contenders])
        plot(against_load(mode(), [output, speed, failed], legend=False, x=unit_of_load(line)), "load_rest")


def _latency_panel(line: Lineup, metric: str) -> Panel:
    found = [
        (contender, name, [_solid(cell, metric, name) for cell in contender.cells.values()])
        for contender in line.contenders
        for name in ("p50", "p99")
    ]
    unit = time_unit(max((value for *_, values in found for value in values if value is not None), default=0.0))
    curves = [
        Curve(
            series=series(contender),
            levels=contender.levels,
            values=[None if value is None else value * unit.per_second for value in values],
            name=name,
            tail=name == "p99",
        )
        for contender, name, values in found
    ]
    return Panel(title=f"{METRICS[metric].title}, {unit.name} ↓", curves=curves)


def _solid(cell: Cell, metric: str, name: Statistic) -> float | None:
    """A percentile of a line; the tail is left out where it rests on too little."""
    return None if name == "p99" and weak(cell, metric, name) else cell.statistic(metric, name)


def _output_curve(contender: Contender) -> Curve:
    values = [cell.throughput(THROUGHPUT) for cell in contender.cells.values()]
    return Curve(series=series(contender), levels=contender.levels, values=values, name=say("tokens/s"))


def _speed_curve(contender: Contender) -> Curve:
    values = [cell.decode_tps for cell in contender.cells.values()]
    return Curve(series=series(contender), levels=contender.levels, values=values, name="p50")


def _failed_curve(contender: Contender) -> Curve:
    values = [in_percent(cell.failed_share) for cell in contender.cells.values()]
    return Curve(series=series(contender), levels=contender.levels, values=values, name="%")


def _samples(line: Lineup, level: float, metric: str) -> list[tuple[Series, Sample]]:
    found = [(series(c), c.cells[level].sample(metric)) for c in line.contenders if level in c.cells]
    return [(one, sample) for one, sample in found if sample is not None]


def every_request(line: Lineup, level: float, metric: str, percentile: Statistic) -> None:
    """All values as cumulative lines."""
    samples = _samples(line, level, metric)
    spec = METRICS[metric]
    what = say("chunks") if metric in ("gap_s", "itl_s") else say("requests")
    if not samples:
        section(say("{metric} of every request", metric=spec.title))
        st.markdown(f":gray[{say('No run at this load has it.')}]")
        return
    title = say("{metric} of all {what} at {level}", metric=spec.title, what=what, level=line.words(level))
    share = float(percentile[1:]) / 100
    plot(
        ecdf(mode(), samples, title=title, metric=spec.title, share_of=say("share of {what}", what=what), share=share),
        "ecdf",
    )
    named_below((metric,))


def spread(line: Lineup, level: float, metric: str, shape: Literal["box", "violin"]) -> None:
    """One box or violin a configuration."""
    samples = _samples(line, level, metric)
    if not samples:
        section(METRICS[metric].title)
        st.markdown(f":gray[{say('No run at this load has it.')}]")
        return
    title = say("{metric} at {level}", metric=METRICS[metric].title, level=line.words(level))
    plot(boxes(mode(), samples, title=title, shape=shape), "spread_chart")
    named_below((metric,))
