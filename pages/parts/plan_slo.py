"""The fields of an SLO: up to four limits, each with its metric, its percentile and its value as people read it."""

from core.metrics import METRICS
from core.slo import LATENCIES, STATISTICS, SUCCESS_RATE, Slo, SloLimit
from core.words import say
from pages.parts import look
from pages.parts.measures import definition
from pages.parts.plan_state import KEPT, key, put, typed

MOST = 4
# Of a metric: how many of the shown unit are one of its own, that unit, and the limit that people begin with.
SHOWN = {
    "ttft_s": (1e3, "ms", 500.0),
    "ttfa_s": (1e3, "ms", 2000.0),
    "tpot_s": (1e3, "ms", 50.0),
    "e2e_s": (1.0, "s", 10.0),
    "decode_tps": (1.0, "tokens/s", 20.0),
    "e2e_tps": (1.0, "tokens/s", 10.0),
    SUCCESS_RATE: (100.0, "%", 99.0),
}
START: dict[str, object] = {
    f"slo{place}_{name}": value
    for place in range(MOST)
    for name, value in {
        "metric": None,
        "statistic": "p95",
        "exact": False,
        **{metric: first for metric, (_, _, first) in SHOWN.items()},
    }.items()
}


def slo() -> Slo | None:
    """The limits that are chosen; None if there is none. Raises PlanError."""
    found = tuple(_limit(place, typed(f"slo{place}_metric")) for place in range(MOST) if typed(f"slo{place}_metric"))
    return Slo(limits=found) if found else None


def _limit(place: int, metric: str) -> SloLimit:
    value = typed(f"slo{place}_{metric}")
    return SloLimit(
        metric=metric,
        statistic="" if metric == SUCCESS_RATE else typed(f"slo{place}_statistic"),
        relation=("<=" if typed(f"slo{place}_exact") else "<")
        if metric in LATENCIES
        else (">=" if typed(f"slo{place}_exact") else ">"),
        value=float(f"{(value or 0.0) / SHOWN[metric][0]:.12g}"),  # 50 ms are 0.05 s, whatever the division leaves
    )


def fill(found: Slo | None) -> None:
    """Put limits into the fields; more than they hold are left out."""
    for name, value in START.items():
        put(name, value)
    for place, limit in enumerate(found.limits[:MOST] if found else ()):
        put(f"slo{place}_metric", limit.metric)
        put(f"slo{place}_statistic", limit.statistic or "p95")
        put(f"slo{place}_exact", "=" in limit.relation)
        put(f"slo{place}_{limit.metric}", float(f"{limit.value * SHOWN[limit.metric][0]:.12g}"))


def begin() -> None:
    """Have a first limit where none is chosen: a search cannot do without."""
    if not any(typed(f"slo{place}_metric") for place in range(MOST)):
        put("slo0_metric", "ttft_s")


def fields() -> None:
    """A row for each limit, and one more to add the next."""
    chosen = [place for place in range(MOST) if typed(f"slo{place}_metric")]
    shown = min(MOST, max(chosen, default=-1) + 2)
    for place in range(shown):
        _row(place)


def _row(place: int) -> None:
    metric, statistic, value, _ = look.pair(f"cards4_slo{place}", 4, gap="small", vertical_alignment="bottom")
    chosen = metric.selectbox(
        say("Limit {n}", n=place + 1), [None, *SHOWN], key=key(f"slo{place}_metric"), **KEPT,
        format_func=lambda it: METRICS[it].title if it else say("no limit"),
        placeholder=say("no limit") if place == 0 else say("add a limit"),
        help=definition(typed(f"slo{place}_metric")) if typed(f"slo{place}_metric") else None,
    )  # fmt: skip
    if chosen is None:
        return
    if chosen != SUCCESS_RATE:
        statistic.selectbox(say("Statistic"), STATISTICS, key=key(f"slo{place}_statistic"), **KEPT)
    exact = typed(f"slo{place}_exact")
    bound = (say("At most") if exact else say("Below")) if chosen in LATENCIES else None
    bound = bound or (say("At least") if exact else say("Above"))
    unit = SHOWN[chosen][1]
    value.number_input(
        f"{bound}, {say(unit)}", 0.0, 100.0 if chosen == SUCCESS_RATE else None, step=_step(chosen),
        format="%g", key=key(f"slo{place}_{chosen}"), **KEPT,
    )  # fmt: skip


def _step(metric: str) -> float:
    return {"ttft_s": 50.0, "ttfa_s": 50.0, "tpot_s": 5.0, SUCCESS_RATE: 0.5}.get(metric, 1.0)
