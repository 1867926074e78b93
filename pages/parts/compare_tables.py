"""The tables of a comparison: values with their differences, what sets the configurations apart, their runs."""

from collections.abc import Sequence

import pandas as pd
import streamlit as st
from pandas.api.types import is_numeric_dtype

from core import differing
from core.chart_style import INK
from core.charts.sample import Unit
from core.comparison import FEWEST_PAIRS
from core.enough import for_throughput
from core.lineup import Lineup
from core.metrics import METRICS
from core.quantities import number
from core.shortening import cut
from core.standing import THROUGHPUT, Against, Row
from core.words import say
from pages.parts import links
from pages.parts.compare_words import DOUBTED, badge_of, is_pointed, name_of, shown, units_of, words
from pages.parts.look import mode, section
from pages.parts.measures import definitions
from pages.parts.state import services
from pages.parts.text import MISSING, escape_markdown
from storage.transfer import Transfer

UNSEEN = "\N{ZERO WIDTH SPACE}"  # two columns with one title must still be two
WIDE = 3  # configurations; with more, tables stand under each other, value and difference share a cell


def values(line: Lineup, rows: Sequence[Row], level: float) -> None:
    """Every number with its difference to the baseline."""
    base = name_of(line.baseline)
    section(
        say("Values and differences"),
        say("{level}, baseline {name}", level=line.words(level), name=escape_markdown(base)),
        definitions((*dict.fromkeys(row.metric for row in rows), "verdict")) if rows else None,
    )
    if not rows:
        st.markdown(f":gray[{say('The baseline was not measured at this load: choose another load or baseline.')}]")
        return
    roomy, units = len(line.contenders) <= WIDE, units_of(rows)
    table = _table(
        _titles(rows[0], escape_markdown(base), roomy=roomy),
        [_row(row, units.get(row.metric), roomy=roomy) for row in rows],
    )
    numeric = [name for name in table.columns if is_numeric_dtype(table[name])]
    inks = pd.DataFrame([_inks(row, roomy=roomy) for row in rows], columns=table.columns)
    styled = table.style.format(_number, subset=numeric).apply(lambda _: inks, axis=None)
    st.table(styled, border="horizontal", hide_index=True)
    if any(row.weak or any(against.weak for against in row.against) for row in rows):
        st.markdown(f":gray[:small[{say('Grey: it rests on too few values, or the load generator was late for it.')}]]")
    if any(against.reservations for row in rows for against in row.against):
        note = say("in doubt: a run of the pair was made on a busy machine, or by a client that was late.")
        st.markdown(f":orange[:small[{DOUBTED}]] :gray[:small[{note}]]")
    if line.others:
        pointed = roomy and any(map(is_pointed, rows))
        st.markdown(f":gray[:small[{_rests_on(line, rows, pointed=pointed)} {_wanting(line, rows, level)}]]")


def _rests_on(line: Lineup, rows: Sequence[Row], *, pointed: bool) -> str:
    """What the words in the table stand on; `pointed`: some of them point up or down."""
    pairs = {against.difference.pairs for row in rows for against in row.against} - {0}
    if not pairs:
        if line.single:
            points = say("▲ ▼ say which way these two differ.") if pointed else ""
            told = say("Repeats tell whether a difference holds from run to run.")
            return " ".join([say("Single runs:"), *filter(None, [points]), told])
        points = say("▲ ▼ say which way they differ.") if pointed else ""
        told = say("Repeats of one launch tell whether a difference holds.")
        return " ".join([say("These runs did not take turns:"), *filter(None, [points]), told])
    if max(pairs) < FEWEST_PAIRS:
        return say("{n} pairs of runs: from {fewest} on there is a verdict.", n=max(pairs), fewest=FEWEST_PAIRS)
    return say(
        "Verdicts rest on {n} pairs of runs that took turns: what slowed both of a pair is in none of them.",
        n=max(pairs) if len(pairs) == 1 else f"{min(pairs)}–{max(pairs)}",
    )


def _wanting(line: Lineup, rows: Sequence[Row], level: float) -> str:
    """What it takes for an interval where a throughput has none."""
    told = [against.difference for row in rows if row.metric == THROUGHPUT for against in row.against]
    if not any(found.ratio is not None and found.within is None and not found.pairs for found in told):
        return ""
    at_once = max(contender.cells[level].lanes for contender in line.contenders if level in contender.cells)
    words = "A throughput at {level} gets its interval from {fewest} answers on."
    return say(words, level=line.words(level), fewest=for_throughput(at_once))


def _number(value: float) -> str:
    """Columns stay numbers, so that they stand right."""
    return number(None if pd.isna(value) else value, fixed=True)


def _table(titles: Sequence[str], rows: Sequence[Sequence[str | float]]) -> pd.DataFrame:
    """A column a title: two of one title stay two, whatever people call their configurations."""
    apart = [title + UNSEEN * titles[:place].count(title) for place, title in enumerate(titles)]
    return pd.DataFrame(list(rows), columns=apart)


def _titles(row: Row, base: str, *, roomy: bool) -> list[str]:
    found = [say("Metric"), base]
    for against in row.against:
        found.append(escape_markdown(name_of(against.contender)))
        if roomy:
            found.append(say("against {name}", name=base))
    return found


def _row(row: Row, scale: Unit | None, *, roomy: bool) -> list[str | float]:
    spec = METRICS[row.metric]
    unit = scale.name if scale else spec.unit
    metric = f"**[{row.title}](/glossary#{spec.anchor})**"
    cells: list[str | float] = [f"{metric} :gray[{unit}]", shown(row.baseline, scale)]
    for against in row.against:
        value, faint = shown(against.value, scale), row.weak or against.weak
        if roomy:
            cells += [value, _difference(against, faint=faint)]
        else:
            told = f"{_number(value)} :gray[:small[{words(against.difference)}]]"
            told = f":gray[{_number(value)} :small[{words(against.difference)}]]" if faint else told
            cells.append(f"{told} {_mark(against)}".strip())
    return cells


def _inks(row: Row, *, roomy: bool) -> list[str]:
    """The style of each cell of its line: what rests on too little is grey."""
    grey = f"color: {INK[mode()].muted}; font-style: italic"
    found = ["", grey if row.weak else ""]
    for against in row.against:
        found += [grey if against.weak else ""] + [""] * roomy
    return found


def _difference(against: Against, *, faint: bool) -> str:
    if against.difference.ratio is None:
        return MISSING
    told = f":small[{words(against.difference)}]"
    return f"{_mark(against)} :gray[{told}]".strip() if faint else f"{badge_of(against)} {told}"


def _mark(against: Against) -> str:
    return f":orange[{DOUBTED}]" if against.reservations else ""


def apart(line: Lineup) -> None:
    """What sets them apart; a switch shows all that is known."""
    every = differing.settings(line)
    differ = [setting for setting in every if setting.differs]
    section(say("What differs"), say("{n} of {all} settings", n=len(differ), all=len(every)))
    place = st.container()
    shown = every if st.toggle(say("Show all settings"), key="all_settings") else differ
    if not shown:
        place.markdown(f":gray[{say('Nothing that is known sets them apart.')}]")
        return
    titles = [say("Setting"), *(escape_markdown(name_of(contender)) for contender in line.contenders)]
    rows = [
        [escape_markdown(setting.name), *(escape_markdown(cut(value, 60)) or MISSING for value in setting.told)]
        for setting in shown
    ]
    place.table(_table(titles, rows), border="horizontal", hide_index=True)


def runs(line: Lineup) -> None:
    """Every run behind the comparison, as a link."""
    with st.expander(say("Runs behind this comparison"), type="compact"):
        for contender in line.contenders:
            with st.container(horizontal=True, vertical_alignment="center", gap="xsmall"):
                st.markdown(f"**{escape_markdown(name_of(contender))}**", width="content")
                for entry in contender.entries:
                    level = entry.run.plan.load.words()
                    links.link(st.container(width="content"), "run", level, run=entry.run.id)


def export(line: Lineup) -> None:
    """The runs behind it as one file."""
    ids = [entry.run.id for contender in line.contenders for entry in contender.entries]
    with st.popover(say("Export"), icon=":material/download:"):
        st.download_button(
            say("Run file of all runs (JSON)"),
            lambda: Transfer(services().runs).run_file(ids),
            file_name="comparison.json",
            mime="application/json",
            type="tertiary",
            on_click="ignore",
        )
