"""Differences as words on a page: verdict badges, the verdict card, the label beside an interval."""

from collections.abc import Sequence
from math import nan

import streamlit as st

from core.charts.sample import Unit, time_unit
from core.comparison import Difference, Statistic, Verdict, verdict
from core.leading import Lead, Soonest, lead, soonest
from core.lineup import Contender, Lineup
from core.reservations import Reservation, merged, reasons
from core.shortening import cut, distinct
from core.standing import THROUGHPUT, Against, Row, weak
from core.words import say
from pages.parts.look import LEVEL_ICON, chip, overline, pair
from pages.parts.measures import sentence
from pages.parts.text import difference, escape_markdown, ms_alike, number

SIGN = {"good": "▲", "bad": "▼", "neutral": "≈"}
TONE = {"good": "green", "bad": "red", "neutral": "gray"}
TITLES = {"decode_tps": say("Decode speed"), THROUGHPUT: say("Throughput")}
SIMULATED = "simulated"
DOUBTED = ":material/warning:"  # the mark of a verdict with reservations
UNBROKEN = "\N{NO-BREAK SPACE}"


def name_of(contender: Contender) -> str:
    """The name as it appears anywhere: cut where it is very long, marked where its times are made up."""
    return contender.brief + (f" ({say(SIMULATED)})" if contender.simulated else "")


def load_title(line: Lineup) -> str:
    """What the levels count, as a column or a control is called."""
    return say("Requests/s") if line.variable == "rate" else say("In flight")


def chip_of(contender: Contender, extra: str = "") -> str:
    """Coloured dot and name."""
    return chip(name_of(contender), contender.slot, extra)


def words(found: Difference) -> str:
    """The ratio with its interval: −25 % [−32, −18]; the number and its sign stay on one line."""
    told = difference(found.ratio, found.low, found.high)
    for sign in ("%", "×"):
        told = told.replace(f" {sign}", f"{UNBROKEN}{sign}")
    return told


def badge_of(against: Against) -> str:
    """Sign and word: the triangle says good or bad, the number's own sign says direction. What is doubted is orange."""
    if against.reservations and against.difference.within is not None:
        return f":orange-badge[{DOUBTED} {escape_markdown(against.word)}]"
    sign = "?" if against.difference.within is None or against.word == say("unclear") else SIGN[against.standing]
    return f":{TONE[against.standing]}-badge[{sign} {escape_markdown(against.word)}]"


def label_of(against: Against) -> str:
    """What stands right of an interval in the forest; the figure escapes nothing of ours."""
    told = difference(against.difference.ratio)
    if against.difference.within is None:
        return say("{difference}, no interval", difference=told)
    if against.reservations:
        return say("{difference} in doubt", difference=told)
    if against.verdict in (Verdict.BETTER, Verdict.WORSE):
        return f"{told} {against.word}"
    return f"{told} {SIGN[against.standing]}"


def unit_of(row: Row) -> Unit | None:
    """What a row of times is written in: one unit for all its values, so that they compare at a glance."""
    if not row.of_time:
        return None
    return time_unit(max(value or 0.0 for value in (row.baseline, *(against.value for against in row.against))))


def shown(row: Row, value: float | None) -> float:
    """A number of the table of values in the unit of its row's title; not a number where it is unknown."""
    if value is None:
        return nan
    unit = unit_of(row)
    return value * unit.per_second if unit else value


def verdict_card(line: Lineup, level: float, percentile: Statistic) -> None:
    """One sentence, then for whom it holds: one user, many, and the first token."""
    found = lead(line)
    first = soonest(line, level, "ttft_s", percentile)
    with st.container(border=True, gap="small"):
        with st.container(gap=None):
            how = say("single runs, 95 % intervals from within them")
            if line.repeated:
                how = say("95 % intervals, over repeats where there are some")
            against = say("against {name}", name=escape_markdown(name_of(line.baseline)))
            overline(f"{say('VERDICT')} &ensp;·&ensp; {against} &ensp;·&ensp; {how}")
            st.markdown(f"### {escape_markdown(found.sentence)}", anchors=False)
            reservation_line(merged([found.doubted, first.reservations if first else ()]))
        places = pair("pair_verdict", 3, gap="medium")
        with places[0].container(gap="xxsmall"):
            _speed(line, found, "decode_tps", say("{name} decodes at {value}{against}."))
        with places[1].container(gap="xxsmall"):
            _speed(line, found, THROUGHPUT, say("{name} gives {value}{against}."))
        with places[2].container(gap="xxsmall"):
            _first_token(line, first, level, percentile)


def reservation_line(found: Sequence[Reservation]) -> None:
    """Why the verdict is not to be taken as it stands, beside it."""
    if found:
        again = say("Measure all of them again while the machine does nothing else.")
        st.markdown(f"{LEVEL_ICON['act']} {escape_markdown(reasons(found))} :gray[{again}]")


def tutorial_line(line: Lineup, level: float) -> None:
    """What a tutorial's script would have printed for the baseline at this load, and why it differs."""
    cell = line.baseline.cells.get(level)
    told = cell.entries[0].summary.tutorial if cell else None
    if told is not None:
        whose = say("{name} at {level}:", name=name_of(line.baseline), level=line.words(level))
        sentence(f"{whose} {told.sentence}")


def _title(line: Lineup, text: str, level: float, badge: str = "") -> None:
    one = line.variable == "concurrency" and level == 1
    whom = say("1 user") if one else line.words(level)
    st.markdown(f"**{text}, {whom}**" + (f" &ensp;{badge}" if badge else ""))


def _small(text: str) -> None:
    st.markdown(f":small[:gray[{text}]]")


def _against(line: Lineup, leader: Contender, found: Difference | None) -> str:
    if found is None:
        return say(", the baseline") if leader is line.baseline else ""
    base = escape_markdown(cut(line.baseline.name, 24))
    return say(", {difference} against {base}", difference=words(found), base=base)


def _doubt_badge(found: Sequence[Reservation]) -> str:
    return f":orange-badge[{DOUBTED} {say('in doubt')}]" if found else ""


def _verdict_badge(line: Lineup, found: Difference | None) -> str:
    """Only repeats make a verdict."""
    if found is None or not line.repeated or verdict(found, "higher") is not Verdict.BETTER:
        return ""
    return f":green-badge[▲ {say('better')}]"


def _tie(names: Sequence[str], *, enough: bool) -> str:
    """Whom the leader cannot be told apart from, or that nothing can be told."""
    if not enough:
        return f":gray-badge[? {say('not enough data')}]"
    listed = escape_markdown(", ".join(distinct(names, 24)))
    return f":gray-badge[≈ {say('no difference seen to {names}', names=listed)}]"


def _speed(line: Lineup, found: Lead, metric: str, words_of: str) -> None:
    place = found.ranking.decode if metric == "decode_tps" else found.ranking.throughput
    title = TITLES[metric]
    if place is None:
        st.markdown(f"**{title}**")
        _small(say("Not known for all of them at one common load."))
        return
    by_name = {contender.title: contender for contender in line.contenders}
    leader = by_name[place.best[0]]
    told = _verdict_badge(line, place.to_baseline) if place.clear else _tie(place.best[1:], enough=place.enough)
    _title(line, title, place.level, f"{_doubt_badge(found.reservations[metric])} {told}".strip())
    value = say("{n} tokens/s", n=number(place.values[leader.title]))
    late = weak(leader.cells[place.level], metric, "p50")
    value = f":gray[{value}]" if late else f"**{value}**"
    st.markdown(words_of.format(name=chip_of(leader), value=value, against=_against(line, leader, place.to_baseline)))
    rest = [(by_name[name], speed) for name, speed in place.values.items() if name != leader.title]
    _small(" · ".join(f"{escape_markdown(name_of(other))} {number(speed)}" for other, speed in rest))


def _first_token(line: Lineup, found: Soonest | None, level: float, percentile: Statistic) -> None:
    if found is None:
        st.markdown(f"**{say('First token')}**")
        _small(say("Not known for two of them at this load."))
        return
    leader = found.values[0][0]
    clear = len(found.best) == 1
    told = badge_of(found.to_baseline) if found.to_baseline and found.to_baseline.verdict else ""
    told = told if clear else _tie([other.name for other in found.best[1:]], enough=found.enough)
    _title(line, say("First token"), level, f"{_doubt_badge(found.reservations)} {told}".strip())
    against = _against(line, leader, found.to_baseline.difference if found.to_baseline else None)
    thin = weak(leader.cells[level], "ttft_s", percentile)
    mine, *others = ms_alike(*(wait for _, wait in found.values))
    wait = f":gray[{mine} ({percentile})]" if thin else f"**{mine}** ({percentile})"
    st.markdown(say("{name} starts after {value}{against}.", name=chip_of(leader), value=wait, against=against))
    rest = [other for other, _ in found.values[1:]]
    _small(" · ".join(f"{escape_markdown(name_of(one))} {later}" for one, later in zip(rest, others, strict=True)))
