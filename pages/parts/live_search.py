"""A search as it goes on: what it found in a sentence, the way it took, and each limited number at every level."""

from collections.abc import Sequence

import streamlit as st
from plotly.graph_objects import Figure

from core.charts.sample import Series
from core.charts.search import Tried, Way, limit_by_level, search_course
from core.course import Searched
from core.endpoint import SIMULATED
from core.slo import LATENCIES, SUCCESS_RATE, SloLimit
from core.words import say
from pages.parts import links, look
from pages.parts.slo_words import limited, slo_words
from pages.parts.text import escape_markdown, named

NO_BREAK = "\N{NO-BREAK SPACE}"
UNITS = {"concurrency": "requests in flight", "rate": "requests/s"}


def show(found: Sequence[Searched], running: Sequence[tuple[str, float]] = ()) -> None:
    """The sentences and the drawings; nothing without a search. `running`: run id and level of what is measured now."""
    if not found:
        return
    ended = all(one.ended for one in found)
    look.section(say("Search"), say("the highest level that keeps the limits") if ended else say("so far"))
    for one in found:
        if one.tried or one.cut_short:
            st.markdown(f"{_name(one)} &ensp;{escape_markdown(one.sentence(slo_words(one.search.slo)))}")
    if ended and not any(one.tried for one in found):
        return  # an empty drawing would say that no level kept the limits
    search = found[0].search
    unit = say(UNITS[search.variable])
    figures = [
        search_course(look.mode(), [_way(one, None) for one in found], unit=unit, low=search.low, high=search.high)
    ]
    if any(one.tried for one in found):
        figures += [_of_limit(found, place, limit, unit) for place, limit in enumerate(search.slo.limits)]
    for start in range(0, len(figures), 2):
        places = look.pair(f"pair_search_{start}", 2, gap="medium")
        for at, (place, fig) in enumerate(zip(places, figures[start : start + 2], strict=False)):
            with place:
                look.plot(fig, f"search_{start + at}")
    _links(found, running)


def _name(one: Searched) -> str:
    configuration = one.configuration
    return look.chip(named(configuration.label, configuration.endpoint.demo, 40), configuration.slot)


def _way(one: Searched, place: int | None) -> Way:
    configuration = one.configuration
    note = SIMULATED if configuration.endpoint.demo == SIMULATED else ""
    return Way(
        series=Series(name=configuration.label, slot=configuration.slot, note=note),
        tried=[
            Tried(
                level=probe.level,
                met=probe.met if place is None else probe.judged[place].kept,
                value=None if place is None else shown(probe.judged[place].limit, probe.judged[place].value),
            )
            for probe in one.tried
        ],
        edge=one.edge.level,
    )


def _of_limit(found: Sequence[Searched], place: int, limit: SloLimit, unit: str) -> Figure:
    bound = shown(limit, limit.value) or 0.0
    upper = limit.metric in LATENCIES
    return limit_by_level(
        look.mode(), [_way(one, place) for one in found], title=limited(limit), unit=unit, axis=say(unit_of(limit)),
        limit=bound if upper else -bound,
    )  # fmt: skip


def unit_of(limit: SloLimit) -> str:
    """The unit in which people read it."""
    return "ms" if limit.metric in LATENCIES else "%" if limit.metric == SUCCESS_RATE else "tokens/s"


def shown(limit: SloLimit, value: float | None) -> float | None:
    """A value of the limited number in that unit."""
    scale = {"ms": 1e3, "%": 100.0}.get(unit_of(limit), 1.0)
    return None if value is None else value * scale


def _links(found: Sequence[Searched], running: Sequence[tuple[str, float]]) -> None:
    for one in found:
        probes = [
            f"[{probe.level:,g}]({links.address('run', {'run': probe.run_id})})"
            f"{NO_BREAK}{look.TICK if probe.met else look.CROSS}"
            for probe in one.tried
        ]
        if probes:
            whose = f" {_name(one)} " if len(found) > 1 else " "
            st.markdown(
                f":gray[:small[{say('Probes in their order, each with its run:')}]]{whose}" + " &ensp; ".join(probes)
            )
    for _, level in running:
        st.markdown(f"{look.RUNNING} :shimmer[{say('measuring {level:,g}', level=level)}]")
