"""The SLO of a run on its page: goodput, and each limit with what the run had to show. Judges by core.judging alone."""

from collections.abc import Sequence

import pandas as pd
import streamlit as st

from core.judging import Judged, judge
from core.metrics import METRICS
from core.quantities import number
from core.run import Run
from core.summary import Summary
from core.words import say
from pages.parts.look import CROSS, TICK
from pages.parts.measures import hint
from pages.parts.slo_words import bound, limited, value
from pages.parts.text import MISSING


def show(run: Run, summary: Summary) -> None:
    """Nothing without an SLO."""
    if run.plan.slo is None:
        return
    judged = judge(summary, run.plan.slo)
    goodput, requests = summary.throughput.get("goodput_per_s"), summary.throughput.get("requests_per_s")
    told = say("goodput {good} of {all} requests/s", good=number(goodput), all=number(requests))
    known = all(one.value is not None for one in judged)  # else no request is good, for want of a number
    with st.container(border=True, gap="xsmall"):
        st.markdown(
            f"**{say('SLO')}** &ensp;{_verdict(judged)} &ensp;{f':gray[:small[{told}]]' if known else ''}",
            help=hint(METRICS["goodput_per_s"].definition, "goodput_per_s"),
        )
        st.table(pd.DataFrame([_row(one) for one in judged]), border="horizontal", hide_index=True)


def _verdict(judged: Sequence[Judged]) -> str:
    if all(one.kept for one in judged):
        return f"{TICK} {say('keeps every limit')}"
    if all(one.kept or one.value is None for one in judged):
        return say("cannot be judged: what it limits is unknown")
    return f"{CROSS} {say('does not keep every limit')}"


def _kept(one: Judged) -> str:
    if one.value is None:
        return say("unknown")
    return f"{TICK} {say('yes')}" if one.kept else f"{CROSS} {say('no')}"


def _row(one: Judged) -> dict[str, str]:
    return {
        say("Limit"): limited(one.limit),
        say("Wanted"): bound(one.limit),
        say("Measured"): MISSING if one.value is None else value(one.limit, one.value),
        say("Kept"): _kept(one),
    }
