"""The verdict of a comparison: one sentence, for whom it holds, what speaks against it, what to do next.

One name stands alone only where it is ahead of all others; who is ahead is core.leading's to say.
"""

from collections.abc import Mapping, Sequence

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from core.comparison import FEWEST_PAIRS, Difference, Statistic, Verdict, verdict
from core.enough import shortfall
from core.leading import Lead, Soonest, lead, soonest
from core.lineup import Contender, Lineup
from core.quantities import number, seconds_alike
from core.ranking import Place
from core.reservations import Reservation, merged, reasons
from core.shortening import cut
from core.standing import THROUGHPUT, VERDICT_WORDS, weak
from core.words import say
from pages.parts import compare_again
from pages.parts.compare_words import DOUBTED, badge_of, chip_of, name_of, words
from pages.parts.look import LEVEL_ICON, overline, pair
from pages.parts.measures import definition, sentence
from pages.parts.text import escape_markdown, plural

TITLES = {"decode_tps": say("Decode speed"), THROUGHPUT: say("Throughput"), "ttft_s": say("First token")}
LISTED = 4  # each on a line of its own; more would make the card tall
SPOKEN = {"decode_tps": say("{name} decodes at {value}{against}."), THROUGHPUT: say("{name} gives {value}{against}.")}


def card(line: Lineup, level: float, percentile: Statistic, actions: DeltaGenerator) -> None:
    """One sentence, then for whom it holds: one user, many, and the first token.

    The way to measure again stands in `actions`, unless the verdict itself asks for it.
    """
    found = lead(line)
    first = soonest(line, level, "ttft_s", percentile)
    doubts = merged([found.doubted, first.reservations if first else ()])
    untold = any(place is not None and not place.enough for place in (found.ranking.decode, found.ranking.throughput))
    thin = untold or (first is not None and not first.enough)
    with st.container(border=True, gap="small"):
        with st.container(gap=None):
            overline(" &ensp;·&ensp; ".join([say("VERDICT"), *_how(line)]))
            st.markdown(f"### {escape_markdown(found.sentence)}", anchors=False)
            reservation_line(doubts)
        places = pair("pair_verdict", 3, gap="medium")
        with places[0].container(gap="xxsmall"):
            _speed(line, found, "decode_tps")
        with places[1].container(gap="xxsmall"):
            _speed(line, found, THROUGHPUT)
        with places[2].container(gap="xxsmall"):
            _first_token(line, first, level, percentile)
        if thin or doubts:
            actions = _next_step(_lacking(line, percentile) if thin else "")
    compare_again.button(actions, line, percentile)


def _how(line: Lineup) -> list[str]:
    """What it is held against, and what the intervals rest on."""
    if not line.others:
        return []
    words = say("95 % intervals from within the runs, which did not take turns")
    if line.pairs:
        words = say("95 % intervals from pair to pair of up to {n} repeats that took turns", n=line.pairs)
    elif line.single:
        words = say("single runs, 95 % intervals from within them")
    among = say("among all {n}", n=len(line.contenders))
    return [among, say("baseline {name}", name=escape_markdown(name_of(line.baseline))), words]


def _lacking(line: Lineup, percentile: Statistic) -> str:
    """What is missing for intervals: repeats, or answers; "" if it is neither."""
    if 0 < line.pairs < FEWEST_PAIRS:
        return say(
            "{n}; from {fewest} on each difference has its interval.",
            n=plural(line.pairs, "repeat", "repeats"),
            fewest=FEWEST_PAIRS,
        )
    lacking = shortfall(line, percentile)
    if lacking is None:
        return ""
    return say(
        "{name} has {answers} at {level}; from {needed} on every number there has its interval.",
        name=name_of(lacking.contender),
        answers=plural(lacking.answers, "answer", "answers"),
        level=lacking.cell.words,
        needed=lacking.needed,
    )


def _next_step(told: str) -> DeltaGenerator:
    """What is missing, and the place for the button behind it."""
    row = st.container(horizontal=True, vertical_alignment="center", gap="small")
    if told:
        row.markdown(f"{LEVEL_ICON['note']} :gray[{escape_markdown(told)}]", width="content")
    return row


def reservation_line(found: Sequence[Reservation]) -> None:
    """Why the verdict is not to be taken as it stands, beside it."""
    if found:
        again = say("Measure all of them again while the machine does nothing else.")
        st.markdown(f"{LEVEL_ICON['act']} {escape_markdown(reasons(found))} :gray[{again}]")


def tutorial_words(line: Lineup, level: float) -> str:
    """What a tutorial's script would have printed for the baseline at this load, and why it differs; "" if nothing."""
    cell = line.baseline.cells.get(level)
    told = cell.entries[0].summary.tutorial if cell else None
    if told is None:
        return ""
    return say("{name} at {level}:", name=name_of(line.baseline), level=line.words(level)) + f" {told.sentence}"


def tutorial_line(told: str) -> None:
    """The line under a headline, with what such a script does behind its "?"."""
    if told:
        sentence(told, help_text=definition("tutorial"))


def _title(line: Lineup, metric: str, at: float | None = None, badge: str = "") -> None:
    """The name of a metric with its definition, for whom it is looked at, and how sure that is."""
    text = TITLES[metric]
    if at is not None:
        one = line.variable == "concurrency" and at == 1
        text += ", " + (say("1 user") if one else line.words(at))
    st.markdown(f"**{text}**" + (f" &ensp;{badge}" if badge else ""), help=definition(metric))


def _small(text: str) -> None:
    st.markdown(f":small[:gray[{text}]]")


def _against(line: Lineup, leader: Contender, found: Difference | None) -> str:
    if found is None:
        return say(", the baseline") if leader is line.baseline else ""
    base = escape_markdown(cut(line.baseline.name, 24))
    return say(", {difference} against {base}", difference=words(found), base=base)


def _doubt_badge(found: Sequence[Reservation]) -> str:
    return f":orange-badge[{DOUBTED} {say('in doubt')}]" if found else ""


def _verdict_badge(place: Place) -> str:
    """Only repeats that took turns make a verdict."""
    found = place.to_baseline
    if found is None or not found.pairs:
        return ""
    return f":green-badge[▲ {say('better')}]" if verdict(found, "higher") is Verdict.BETTER else ""


def _tie_badge(found: Verdict | None, *, enough: bool) -> str:
    """That those ahead cannot be told from each other, or that nothing can be told: by repeats, or by single runs."""
    if found is not None and enough:
        return f":gray-badge[{'≈' if found is Verdict.EQUIVALENT else '?'} {VERDICT_WORDS[found]}]"
    return f":gray-badge[≈ {say('no difference seen')}]" if enough else f":gray-badge[? {say('not enough data')}]"


def _all_alike(
    line: Lineup, values: dict[str, str], level: float, number_of: tuple[str, str], *, ahead_of: Sequence[str] = (),
    leader: Contender | None = None,
) -> None:  # fmt: skip
    """Where nobody is named: everyone in the order of the comparison, all in one ink, so that none looks beaten.

    Of those that the leader is `ahead_of` for certain it is said; a leader is given where there is enough to tell.
    """
    those = [contender for contender in line.contenders if contender.key in values]
    grey = any(weak(contender.cells[level], *number_of) for contender in those)
    after = say(", behind {name}", name=escape_markdown(name_of(leader))) if leader else ""
    ink = ":gray[{}]" if grey else "{}"
    _listed([f"{chip_of(one)} {ink.format(values[one.key] + after * (one.key in ahead_of))}" for one in those])


def _behind(line: Lineup, leader: Contender, values: dict[str, str], to_leader: Mapping[str, Difference]) -> None:
    """Those that the leader is ahead of, best first, each with its mark and unit as the leader has them.

    Where the leader is the baseline, each with its difference to it: otherwise that stands behind the leader.
    """
    by_key = {contender.key: contender for contender in line.contenders}
    told = []
    for key, value in values.items():
        if key != leader.key:
            far = words(to_leader[key]) if leader is line.baseline and key in to_leader else ""
            told.append(f":small[{chip_of(by_key[key])} :gray[{', '.join(filter(None, (value, far)))}]]")
    _listed(told)


def _listed(told: Sequence[str]) -> None:
    if told:
        st.markdown(("  \n" if len(told) <= LISTED else " · ").join(told))


def _inked(value: str, *, faint: bool) -> str:
    """A leader's number, in bold unless it rests on too little."""
    return f":gray[{value}]" if faint else f"**{value}**"


def _speed(line: Lineup, found: Lead, metric: str) -> None:
    place = found.ranking.decode if metric == "decode_tps" else found.ranking.throughput
    if place is None:
        _title(line, metric)
        _small(say("Not known for all of them at one common load."))
        return
    by_name = {contender.title: contender for contender in line.contenders}
    leader = by_name[place.best[0]]
    told = _verdict_badge(place) if place.clear else _tie_badge(place.tie, enough=place.enough)
    _title(line, metric, place.level, f"{_doubt_badge(found.reservations[metric])} {told}".strip())
    values = {
        by_name[name].key: say("{n} tokens/s", n=number(value, fixed=True)) for name, value in place.values.items()
    }
    if place.clear:
        value = _inked(values[leader.key], faint=weak(leader.cells[place.level], metric, "p50"))
        against = _against(line, leader, place.to_baseline)
        st.markdown(SPOKEN[metric].format(name=chip_of(leader), value=value, against=against))
        to_leader = {by_name[name].key: found for name, found in place.to_leader.items()}
        _behind(line, leader, values, to_leader)
    else:
        behind = [by_name[name].key for name in place.behind]
        known = leader if place.enough else None
        _all_alike(line, values, place.level, (metric, "p50"), ahead_of=behind, leader=known)


def _first_token(line: Lineup, found: Soonest | None, level: float, percentile: Statistic) -> None:
    if found is None:
        _title(line, "ttft_s")
        _small(say("Not known for two of them at this load."))
        return
    leader, best = found.best[0], [one.key for one in found.best]
    waits = seconds_alike(*(wait for _, wait in found.values))
    values = {contender.key: wait for (contender, _), wait in zip(found.values, waits, strict=True)}
    told = badge_of(found.to_baseline) if found.to_baseline and found.to_baseline.verdict else ""
    told = told if len(best) == 1 else _tie_badge(found.tie, enough=found.enough)
    _title(line, "ttft_s", level, f"{_doubt_badge(found.reservations)} {told}".strip())
    told_of = {key: f"{wait} ({percentile})" for key, wait in values.items()}
    if len(best) == 1:
        against = _against(line, leader, found.to_baseline.difference if found.to_baseline else None)
        wait = _inked(values[leader.key], faint=weak(leader.cells[level], "ttft_s", percentile))
        words_of = say("{name} starts after {value} ({percentile}){against}.")
        st.markdown(words_of.format(name=chip_of(leader), value=wait, percentile=percentile, against=against))
        _behind(line, leader, told_of, found.to_leader)
    else:
        behind = [key for key in values if key not in best]
        known = leader if found.enough else None
        _all_alike(line, told_of, level, ("ttft_s", percentile), ahead_of=behind, leader=known)
