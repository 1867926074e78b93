"""Card 3 of a benchmark plan: how it is asked. Shows only what belongs to the chosen kind, touches the fields only."""

from collections.abc import Callable

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from core.charts.stages import stages_over_time
from core.levels import STAGES_EXAMPLE, read_stages
from core.plan import PlanError
from core.words import say
from pages.parts import look, plan_loads, plan_restraint, plan_slo, plan_trace
from pages.parts.plan_loads import (
    BY_REQUESTS,
    BY_SECONDS,
    BY_STAGES,
    BY_TRACE,
    CLOSED,
    GIVEN,
    KINDS,
    OPEN,
    SEARCH,
    STAGES,
    SWEEP,
    TRACE,
)
from pages.parts.plan_state import KEPT, key, typed

NAMES = {
    CLOSED: "Closed loop",
    OPEN: "Open loop",
    STAGES: "Ramp or stages",
    TRACE: "Trace",
    SWEEP: "Find levels",
    SEARCH: "Search",
}
NOTES = {
    CLOSED: "the next request leaves when one returns",
    OPEN: "a request leaves when it is due, whatever came back",
    STAGES: "open loop: requests a second change as the time goes",
    TRACE: "open loop: requests leave when recorded ones came, with their lengths",
    SWEEP: "one stream, then saturation, then levels where the queue begins",
    SEARCH: "the highest level that keeps your limits",
}
ARRIVALS = {"poisson": "at random (Poisson)", "constant": "evenly spaced", "bursty": "in bursts"}
ENDS = {BY_REQUESTS: "Requests", BY_SECONDS: "Seconds", BY_STAGES: "Last stage", BY_TRACE: "Last request"}
OWN_END = {STAGES: ("stages_end", BY_STAGES), TRACE: ("trace_end", BY_TRACE)}  # kinds that end by themselves
SOUGHT = {"concurrency": "requests in flight", "rate": "requests/s"}


def kind() -> str:
    """The choice that the rest of the card hangs on."""
    chosen = st.segmented_control(
        say("Kind of load"), KINDS, key=key("kind"), required=True, label_visibility="collapsed", **KEPT,
        format_func=lambda it: say(NAMES[it]), on_change=_begin,
    )  # fmt: skip
    return str(chosen or CLOSED)


def _begin() -> None:
    if typed("kind") == SEARCH:
        plan_slo.begin()


def fields(chosen: str) -> None:
    """What belongs to the kind: its levels, how long each lasts, the SLO, and the rest."""
    {CLOSED: _closed, OPEN: _open, STAGES: _stages, TRACE: _trace, SWEEP: _sweep, SEARCH: _search}[chosen]()
    _size(chosen)
    if chosen == SEARCH:
        look.section(say("Limits to keep"), say("all of them at once, in every run"))
        _limits(chosen)
    with st.expander(_more(chosen), type="compact"):
        if chosen != SEARCH:
            _limits(chosen)
        _course(chosen)
    plan_restraint.fields()


def _more(chosen: str) -> str:
    """What is folded up."""
    if chosen == SEARCH:
        return say("Rest and saturation") if _saturates(chosen) else say("Rest")
    return say("SLO, rest and saturation") if _saturates(chosen) else say("SLO and rest")


def _refused(read: Callable[[], object]) -> None:
    """What is wrong with fields, right under them."""
    try:
        read()
    except PlanError as fault:
        look.problem(str(fault))


def _closed() -> None:
    levels, more = look.pair("pair_levels", [2.4, 1], gap="small")
    levels.pills(say("In flight"), plan_loads.LEVELS, selection_mode="multi", key=key("levels"), **KEPT)
    more.text_input(say("Other levels"), key=key("more_levels"), placeholder=say("3, 6 or 1..64:x2"), **KEPT,
                    help=say("A list, or a range with a step: 1..64:x2 doubles, 2..10:+2 adds 2."))  # fmt: skip
    _refused(plan_loads.loads)


def _open() -> None:
    rates, *rest = look.pair("cards4_open", 4, gap="small")
    rates.text_input(say("Requests/s"), key=key("rates"), placeholder=say("1, 2 or 1..64:x2"), **KEPT,
                     help=say("A list, or a range with a step: 1..64:x2 doubles, 0.5..4:+0.5 adds 0.5."))  # fmt: skip
    _arrivals(rest)
    _refused(plan_loads.loads)


def _stages() -> None:
    st.text_input(
        say("Stages: seconds @ requests/s"), key=key("stages"), placeholder=STAGES_EXAMPLE, **KEPT,
        help=say("30s@5 holds 5 requests/s for 30 s, 60s@5..50 rises from 5 to 50, 60s@5..50:exponential rises by the "
                 "same factor each second. Separate stages by commas."),
    )  # fmt: skip
    try:
        drawn = read_stages(typed("stages"))
        look.plot(stages_over_time(look.mode(), drawn, say("requests/s")), "benchmark_stages_drawn")
    except PlanError:
        pass  # said below
    _refused(plan_loads.loads)
    _arrivals(look.pair("cards4_stages", 4, gap="small"))


def _trace() -> None:
    plan_trace.upload()
    speed, *rest = look.pair("cards4_trace", 4, gap="small")
    with speed:
        plan_trace.speeds()
    _most_in_flight(rest[0])
    _refused(plan_loads.loads)


def _arrivals(places: list[DeltaGenerator]) -> None:
    arrivals, *rest = places
    bursty = arrivals.selectbox(
        say("Arrivals"), plan_loads.ARRIVALS, key=key("arrivals"), **KEPT,
        format_func=lambda it: say(ARRIVALS[it]),
        help=say("Users who know nothing of each other come at random. In bursts, several come close together."),
    ) == plan_loads.BURSTY  # fmt: skip
    if bursty:
        rest.pop(0).number_input(
            say("Burstiness k"), 0.01, 1000.0, step=0.1, key=key("burstiness"), format="%g", **KEPT,
            help=say("The shape of the gaps between requests: 1 is at random, smaller is burstier, larger is evener."),
        )  # fmt: skip
    _most_in_flight(rest.pop(0))


def _most_in_flight(place: DeltaGenerator) -> None:
    place.number_input(
        say("Most in flight"), 1, 8192, key=key("max_in_flight"), placeholder=say("no cap"), **KEPT,
        help=say("What is due waits while so many are on their way. The waiting is shown as slip, never hidden."),
    )  # fmt: skip


def _sweep() -> None:
    high, between, *_ = look.pair("cards4_sweep", 4, gap="small")
    high.number_input(say("Saturate with, in flight"), 1, 8192, step=16, key=key("sweep_high"), **KEPT)
    between.number_input(
        say("Levels between"), 1, 20, key=key("sweep_between"), **KEPT,
        help=say("Chosen from the first two runs: closest to where requests begin to wait for each other."),
    )  # fmt: skip
    _refused(plan_loads.sweep)


def _search() -> None:
    sought, low, high, _ = look.pair("cards4_search", 4, gap="small")
    variable = sought.selectbox(
        say("Highest number of"), list(SOUGHT), key=key("variable"), format_func=lambda it: say(SOUGHT[it]), **KEPT
    )
    if variable == "rate":
        low.number_input(say("From"), 0.001, 100_000.0, key=key("low_rate"), format="%g", **KEPT)
        high.number_input(say("To"), 0.001, 100_000.0, key=key("high_rate"), format="%g", **KEPT)
        _arrivals(look.pair("cards4_search_arrivals", 4, gap="small"))
    else:
        low.number_input(say("From"), 1, 8192, key=key("low_concurrency"), **KEPT)
        high.number_input(say("To"), 1, 8192, key=key("high_concurrency"), **KEPT)
    _refused(lambda: plan_loads.searched(plan_slo.slo()))


def _size(chosen: str) -> None:
    end, *places = look.pair("cards4_load", 4, gap="small")
    name, own = OWN_END.get(chosen, ("end", ""))
    by = end.selectbox(  # in a quarter of a narrow window two segments would be cut off
        say("The sending ends after") if own else say("A level ends after"),
        [*filter(None, [own]), BY_REQUESTS, BY_SECONDS],
        key=key(name), format_func=lambda it: say(ENDS[it]), **KEPT,
    )  # fmt: skip
    if by == BY_SECONDS:
        places.pop(0).number_input(say("Seconds a level"), 0.5, 86_400.0, step=10.0, key=key("seconds"), **KEPT)
    elif by == BY_REQUESTS:
        places.pop(0).number_input(say("Requests a level"), 1, 1_000_000, step=50, key=key("requests"), **KEPT)
    places.pop(0).number_input(
        say("Warm-up requests"), 0, 10_000, key=key("warmup"), **KEPT,
        help=say("Sent before each level, with other prompts, outside every statistic."),
    )  # fmt: skip
    if chosen in GIVEN:
        places.pop(0).number_input(
            say("Repeats"), 1, 20, key=key("repeats"), **KEPT,
            help=say("Each level goes over the configurations there and back: A B C, C B A. Drift hits all alike, and "
                     "from 3 repeats on their pairs give a verdict that holds from run to run."),
        )  # fmt: skip


def _limits(chosen: str) -> None:
    plan_slo.fields()
    if chosen == SEARCH:
        return  # its sentence stands above, where the search is
    _refused(plan_slo.slo)


def _saturates(chosen: str) -> bool:
    """Whether more may be in flight the longer it goes on; a closed loop never has more than it keeps there."""
    return chosen in {OPEN, STAGES} or (chosen == SEARCH and typed("variable") == "rate")


def _course(chosen: str) -> None:
    rest, *more = look.pair("cards4_course", [1, 1.5, 1.5], gap="small", vertical_alignment="bottom")
    rest.number_input(
        say("Rest between runs, s"), 0.0, 3600.0, step=5.0, key=key("cooldown"), format="%g", **KEPT,
        help=say("So that the server cools down and forgets the run before."),
    )  # fmt: skip
    if not _saturates(chosen):
        return
    more[0].toggle(
        say("Stop a level once saturated"), key=key("stop_when_saturated"), **KEPT,
        help=say("Ends the sending once requests in flight and TTFT both keep rising: more of it shows nothing new."),
    )  # fmt: skip
    if chosen == OPEN:
        more[1].toggle(
            say("Leave out higher levels then"), key=key("skip_saturated"), **KEPT,
            help=say("Once a level saturated a configuration, its higher levels are not measured."),
        )  # fmt: skip
