"""The recommended range of each configuration in a sentence, and how well it scales. Shows what core.knee found."""

import pandas as pd
import streamlit as st

from core.comparison import Statistic
from core.knee import Level, Range, recommended
from core.lineup import Contender, Lineup
from core.metrics import METRICS
from core.quantities import percent
from core.standing import THROUGHPUT
from core.words import say
from pages.parts.compare_tables import UNSEEN
from pages.parts.compare_words import UNBROKEN, chip_of, load_title, name_of
from pages.parts.measures import definition
from pages.parts.text import MISSING, escape_markdown

WAIT = "ttft_s"


def ranges(line: Lineup, percentile: Statistic) -> None:
    """A sentence a configuration; nothing where only one level was measured."""
    if len(line.levels) < 2:
        return
    found = [(contender, its) for contender in line.contenders if (its := _range(line, contender, percentile))]
    if not found:
        return
    st.markdown(
        "\n\n".join(
            f"{chip_of(contender)} &ensp; {escape_markdown(its.sentence.replace(' %', UNBROKEN + '%'))}"
            for contender, its in found
        ),
        help=definition("offered_rate_per_s" if line.variable == "rate" else "scaling_efficiency"),
    )
    with st.expander(say("Scaling at each level"), type="compact"):
        st.dataframe(_scaling(line, found), hide_index=True, row_height=31, key="scaling")
        told = definition("scaling_efficiency")
        note = say(
            "Throughput for each stream, as a share of that at the lowest level; in brackets what each more adds."
        )
        if line.variable == "rate":
            told = definition("offered_rate_per_s")
            note = say("Answers a second, as a share of the requests/s that were really offered.")
        st.markdown(f":gray[:small[{note}]]", help=told)


def _range(line: Lineup, contender: Contender, percentile: Statistic) -> Range | None:
    levels = [
        Level(value=level, throughput=throughput, latency_s=cell.statistic(WAIT, percentile), pace=cell.pace)
        for level, cell in contender.cells.items()
        if (throughput := cell.throughput(THROUGHPUT)) is not None
    ]
    return recommended(levels, variable=line.variable, latency=f"{METRICS[WAIT].title} {percentile}")


def _scaling(line: Lineup, found: list[tuple[Contender, Range]]) -> pd.DataFrame:
    columns = {load_title(line): [f"{level:,g}" for level in line.levels]}
    names = [name_of(contender) for contender, _ in found]
    for name, (_, its) in zip(names, found, strict=True):
        cells = {step.level.value: step for step in its.steps}
        told = []
        for level in line.levels:
            step = cells.get(level)
            told.append(MISSING if step is None else percent(step.efficiency) + (
                "" if step.added is None else f" ({percent(step.added)})"
            ))  # fmt: skip
        columns[name + UNSEEN * (name in columns)] = told
    return pd.DataFrame(columns)
