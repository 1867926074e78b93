"""Metrics as pages show them: the "?" with the definition, cards, and greying of what rests on too little."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from math import isfinite
from typing import TYPE_CHECKING

import pandas as pd
import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from core.chart_style import INK
from core.definitions.spec import MetricSpec
from core.doubts.answers import by_counts
from core.metrics import METRICS
from core.percentile import FOR_HIGH, FOR_P99, HIGH, too_few
from core.summary import Distribution
from core.words import say
from pages.parts import look
from pages.parts.text import MISSING, count, escape_markdown

if TYPE_CHECKING:
    from pandas.io.formats.style import Styler

COUNTS_CANNOT_BE = say("Grey: it is computed from token counts that cannot be, see the findings.")
MOST_STYLED = 500  # rows, about 0.3 s; a longer table would wait for its ink


@dataclass(frozen=True, slots=True, kw_only=True)
class Card:
    """One number of a headline.

    Attributes:
        note: The small line under it, words of ours.
        weak: Why the number is grey; "" if it is sound.
    """

    title: str
    value: str
    note: str = ""
    metric: str = ""
    weak: str = ""


def definition(metric: str, note: str = "") -> str:
    """The text behind a "?": what it is, in one line its formula, one caution, and the way to the glossary."""
    spec = METRICS[metric]
    lines = [f"**{escape_markdown(spec.name)}**  \n{escape_markdown(spec.definition)}"]
    if spec.formula:
        lines.append(f"`{spec.formula}`")
    lines += [escape_markdown(text) for text in (note, spec.caution) if text]
    return hint("\n\n".join(lines), metric)


def definitions(metrics: Sequence[str]) -> str:
    """The text behind the "?" of what shows several metrics: each in a line or two, with its way to the glossary."""
    return "\n\n".join(_brief(METRICS[metric]) for metric in metrics)


def _brief(spec: MetricSpec) -> str:
    formula = f" `{spec.formula}`" if spec.formula else ""
    return f"**[{escape_markdown(spec.name)}](/glossary#{spec.anchor})**  \n{escape_markdown(spec.definition)}{formula}"


def named_below(metrics: Sequence[str]) -> None:
    """A small line under a figure, which cannot hold a "?" itself: what it shows, with the definitions."""
    titles = " · ".join(escape_markdown(METRICS[metric].title) for metric in metrics)
    told = definition(metrics[0]) if len(metrics) == 1 else definitions(metrics)
    st.markdown(f":gray[:small[{titles}]]", help=told)


def hint(words: str, metric: str) -> str:
    """Words of ours behind a "?", and the way to the glossary."""
    return f"{words}\n\n[{say('Definition')}](/glossary#{METRICS[metric].anchor})"


def weak(grey: Collection[tuple[str, str]], distribution: Distribution | None, metric: str, name: str) -> str:
    """Why this number is grey; "" if it is sound."""
    if distribution is None or (metric, name) not in grey:
        return ""
    if name in HIGH and distribution.count < FOR_P99:
        return say("Grey: it rests on {n} values only.", n=count(distribution.count))
    if by_counts(grey, metric):
        return COUNTS_CANNOT_BE
    return say("Grey: the load generator itself was too late for it, see the findings.")


def few(name: str, answers: int | None) -> bool:
    """Whether a percentile rests on too few answers to be shown in full ink."""
    return too_few(name, answers or 0)


def few_note(name: str) -> str:
    """What the grey of a column means."""
    return say("Grey: fewer than {n} answers.", n=FOR_P99 if name == "p99" else FOR_HIGH)


def muted(frame: pd.DataFrame, columns: Mapping[str, Sequence[bool]]) -> "pd.DataFrame | Styler":
    """A table with these cells in the muted ink; give each number column a `format`, or the styler's own is shown.

    A table too long to be styled loses the cells instead.
    """
    weak = {name: pd.Series(list(flags), index=frame.index, dtype=bool) for name, flags in columns.items()}
    if not any(flags.any() for flags in weak.values()):
        return frame
    if len(frame) > MOST_STYLED:
        return frame.assign(**{name: frame[name].mask(flags) for name, flags in weak.items()})
    ink = f"color: {INK[look.mode()].muted}"
    lists = [name for name in frame if isinstance(frame[name].iloc[0], list)]  # drawn, not written: no second copy
    styled = frame.style.format(na_rep=MISSING).format("", subset=lists)
    for name, flags in weak.items():
        styled = styled.apply(lambda _, flags=flags: [ink if flag else "" for flag in flags], subset=[name])
    return styled


def draw_cards(places: list[DeltaGenerator], cards: list[Card]) -> None:
    """Cards in their columns; a weak number is grey and its help says why."""
    for place, card in zip(places, cards, strict=True):
        grey = card.weak or card.value == MISSING
        place.metric(
            card.title,
            f":gray[{card.value}]" if grey else card.value,
            card.note or None,
            delta_color="off",
            delta_arrow="off",
            help=definition(card.metric, card.weak) if card.metric else card.weak or None,
            border=True,
            height="stretch",
        )


def three_digits(value: float | None) -> float | None:
    """A number of a table's column, rounded as people read it. Give its column no `step`: that cuts digits off."""
    if value is None or not isfinite(value):
        return None
    return float(round(value)) if abs(value) >= 100 else float(f"{value:.3g}")


def success_percent(rate: float | None) -> float | None:
    """A success rate for a table's column, never rounded up to 100."""
    return None if rate is None else 100.0 if rate == 1 else min(rate * 100, 99.9)


def sentence(words: str, help_text: str | None = None) -> None:
    """A small muted line; the words may be foreign."""
    st.markdown(f":gray[:small[{escape_markdown(words)}]]", help=help_text)
