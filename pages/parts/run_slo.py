"""The SLO of a run on its page: goodput, and each limit with what the run had to show. Judges by core.judging alone."""

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
    kept = all(one.kept for one in judged)
    goodput, requests = summary.throughput.get("goodput_per_s"), summary.throughput.get("requests_per_s")
    verdict = f"{TICK} {say('keeps every limit')}" if kept else f"{CROSS} {say('does not keep every limit')}"
    told = say("goodput {good} of {all} requests/s", good=number(goodput), all=number(requests))
    with st.container(border=True, gap="xsmall"):
        st.markdown(
            f"**{say('SLO')}** &ensp;{verdict} &ensp;:gray[:small[{told}]]",
            help=hint(METRICS["goodput_per_s"].definition, "goodput_per_s"),
        )
        st.table(pd.DataFrame([_row(one) for one in judged]), border="horizontal", hide_index=True)


def _row(one: Judged) -> dict[str, str]:
    return {
        say("Limit"): limited(one.limit),
        say("Wanted"): bound(one.limit),
        say("Measured"): MISSING if one.value is None else value(one.limit, one.value),
        say("Kept"): f"{TICK} {say('yes')}" if one.kept else f"{CROSS} {say('no')}",
    }
