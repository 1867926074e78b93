"""The table of a launch's levels while it goes on: done, running, waiting. Draws no widget."""

from collections.abc import Mapping

import pandas as pd

from core.fleet.live import LiveExperiment, LiveRun
from core.quantities import number, percent
from core.run import RunState, StoppedBy
from core.words import say
from pages.parts import links, look
from pages.parts.live_names import waited_for
from pages.parts.look import CROSS, RUNNING, TICK
from pages.parts.text import escape_markdown, named


def table(found: LiveExperiment, rates: Mapping[str, float | None]) -> pd.DataFrame:
    """Rows are levels, columns configurations, repeats side by side in a cell; `rates` by run id, once known."""
    labels = {run.plan.configuration.id: run.plan.configuration for run in found.runs}
    found_levels = {run.plan.load.words(): run.plan.load for run in found.runs}
    levels = sorted(found_levels, key=lambda words: (found_levels[words].variable, found_levels[words].value))
    titles = column_titles([look.chip(named(one.label, one.endpoint.demo, 36), one.slot) for one in labels.values()])
    lines = []
    for level in levels:
        row = {say("Load"): f"**{escape_markdown(level)}**"}
        for title, key in zip(titles, labels, strict=True):
            cells = [
                cell(run, rates)
                for run in found.runs
                if (run.plan.load.words(), run.plan.configuration.id) == (level, key)
            ]
            row[title] = " &ensp; ".join(cells) or "–"
        lines.append(row)
    return pd.DataFrame(lines)


def column_titles(titles: list[str]) -> list[str]:
    """The same titles, made different by a number where two are alike."""
    seen: dict[str, int] = {}
    found = []
    for title in titles:
        seen[title] = seen.get(title, 0) + 1
        found.append(title if seen[title] == 1 else f"{title} ({seen[title]})")
    return found


def cell(run: LiveRun, rates: Mapping[str, float | None]) -> str:
    """One run in the table of levels."""
    if run.state is RunState.RUNNING:
        words = percent(run.share, digits=0) if run.sent else say("starting")
        words = say("warming up") if run.warming_up else waited_for(run) if run.finishing else words
        return f"{RUNNING} :shimmer[{words}]"
    if run.state is RunState.COMPLETED:
        told = f"{TICK} [{number(rates.get(run.run_id))}]({links.address('run', {'run': run.run_id})})"
        saturated = run.stopped_by is StoppedBy.SATURATION
        return f"{told} :orange[:small[{say('saturated')}]]" if saturated else told
    if run.state is RunState.FAILED:
        return f"{CROSS} {say('failed')}"
    if run.state in {RunState.CANCELLED, RunState.INTERRUPTED}:
        if run.ended:
            return f":orange[{say(run.state.value)}]"
        return f":gray[{escape_markdown(run.message) if run.message else say('not started')}]"
    return f":gray[{say('waiting')}]"
