"""The verdict of the last experiment with two configurations or more, as the overview opens with it."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby

import streamlit as st

from core.comparison import Difference
from core.leading import Lead, lead
from core.lineup import lineup
from core.ranking import Place, ranking
from core.run import ENDED_STATES, RunState
from core.words import say
from pages.parts import links, look, state
from pages.parts.compare_data import read
from pages.parts.compare_verdict import reservation_line, tutorial_line, tutorial_words
from pages.parts.text import difference, escape_markdown, named, when
from storage.runs import RunRow

LOOKED_AT = 80  # the newest runs, to learn which launches there were


@dataclass(frozen=True, slots=True, kw_only=True)
class Compared:
    """One experiment's runs, by configuration.

    Attributes:
        baseline: The label of the configuration that was measured first.
    """

    rows: tuple[RunRow, ...]
    baseline: str

    @property
    def ids(self) -> tuple[str, ...]:
        """Its runs, for a link."""
        return tuple(row.id for row in self.rows)


def show() -> None:
    """The sentence, one line for each respect, and the way to the comparison."""
    found = newest()
    if found is None:
        look.overline(say("LAST VERDICT"))
        words = say(
            "A launch with two configurations or more gets its verdict here: who is faster, and how sure that is."
        )
        st.markdown(f":gray[{words}]")
        return
    at = when(max(row.started_at for row in found.rows), look.zone())
    parts = (say("LAST VERDICT"), at, say("baseline {name}", name=escape_markdown(found.baseline)))
    look.overline(" &ensp;·&ensp; ".join(parts))
    sentences(found)
    links.link(st.container(), "compare", say("Open comparison"), runs=",".join(found.ids))


def sentences(found: Compared) -> None:
    """Who is ahead, by how much, and what speaks against taking that as it stands."""
    verdict, slots, told = _lead(found.ids)
    st.markdown(f"### {escape_markdown(verdict.sentence)}", anchors=False)
    tutorial_line(told)
    reservation_line(verdict.doubted)
    lines = [
        line
        for line in (_decode(verdict.ranking.decode, slots), _throughput(verdict.ranking.throughput, slots))
        if line
    ]
    if lines:
        st.markdown("  \n".join(lines))


@st.cache_resource(max_entries=20, show_spinner=False)
def _lead(ids: tuple[str, ...]) -> tuple[Lead, dict[str, int], str]:
    """Who is ahead among these runs, all of which have ended, the colours of all, and what a tutorial prints."""
    entries, _ = read(ids)
    if not entries:  # deleted a moment ago
        return Lead(ranking=ranking([], ""), reservations={}), {}, ""
    line = lineup(entries, date=when)
    found, slots = lead(line), {contender.title: contender.slot for contender in line.contenders}
    at = found.ranking.decode.level if found.ranking.decode else line.common_levels[0]
    return found, slots, tutorial_words(line, at)


def newest() -> Compared | None:
    """The last experiment of all that compares anything, asked for whole: it may have more runs than are looked at."""
    runs = state.services().runs
    rows = runs.list_runs(limit=LOOKED_AT)
    for looked in (rows, runs.list_runs() if len(rows) == LOOKED_AT else []):
        for experiment in dict.fromkeys(row.experiment_id for row in looked if row.experiment_id):
            if found := last(runs.list_runs(experiment_id=experiment)):
                return found
    return None


def last(rows: Sequence[RunRow]) -> Compared | None:
    """The newest experiment that compares anything: two configurations with answers at a common load."""
    live = {one.id for one in state.services().registry.live() if one.state not in ENDED_STATES}
    done = [row for row in rows if row.experiment_id and row.experiment_id not in live]
    whole = [row for row in done if row.ok and row.state is RunState.COMPLETED]
    for _, group in groupby(whole, key=lambda row: row.experiment_id):
        ordered = list(group)[::-1]
        levels: dict[str, set[tuple[str, float]]] = {}
        for row in ordered:
            levels.setdefault(row.configuration_id, set()).add((row.variable, row.value))
        common = set.intersection(*levels.values()) if len(levels) > 1 else set()
        # Where closed loops and open ones were measured, those are compared that all have.
        shared = [row for row in ordered if any(row.variable == variable for variable, _ in common)]
        if shared:
            of_one_kind = tuple(row for row in shared if row.variable == shared[0].variable)
            return Compared(rows=of_one_kind, baseline=named(shared[0].label, shared[0].demo))
    return None


def _decode(place: Place | None, slots: dict[str, int]) -> str:
    if place is None or not place.clear or place.to_baseline is None:
        return ""
    whom = say("for a single stream") if place.of_one_user else say("at {level}", level=place.words)
    return f"{_chip(place, slots)} {say('decodes at')} **{_change(place.to_baseline)}** {whom}."


def _throughput(place: Place | None, slots: dict[str, int]) -> str:
    if place is None or not place.clear or place.to_baseline is None:
        return ""
    words = say("output tokens/s at {level}", level=place.words)
    return f"{_chip(place, slots)} {say('gives')} **{_change(place.to_baseline)}** {words}."


def _chip(place: Place, slots: dict[str, int]) -> str:
    return look.chip(place.best[0], slots.get(place.best[0], 0))


def _change(found: Difference) -> str:
    return escape_markdown(difference(found.ratio, found.low, found.high))
