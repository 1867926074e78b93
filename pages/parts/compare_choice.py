"""More configurations than colours: the reader chooses which to compare. Measures and judges nothing."""

import pandas as pd
import streamlit as st

from core.lineup import Lineup
from core.words import say
from pages.parts import links
from pages.parts.compare_data import MOST
from pages.parts.compare_words import load_title, name_of
from pages.parts.look import header, swatch


def choose(line: Lineup) -> None:
    """A table with tick boxes; the button opens the comparison of the ticked ones."""
    actions = header(
        say("Compare"),
        say(
            "{n} configurations are more than can be told apart: tick up to {most}.", n=len(line.contenders), most=MOST
        ),
    )
    config = st.column_config
    rows = [
        {
            "": swatch(contender.slot),
            "Configuration": name_of(contender),
            "Model": contender.configuration.model,
            "Levels": ", ".join(f"{level:g}" for level in contender.levels),
            "Runs": len(contender.entries),
        }
        for contender in line.contenders
    ]
    chosen = st.dataframe(
        pd.DataFrame(rows),
        hide_index=True,
        row_height=31,
        key="choice",
        on_select="rerun",
        selection_mode="multi-row",
        column_config={
            "": config.ImageColumn(width=30),
            "Configuration": config.TextColumn(say("Configuration"), width=260),
            "Model": config.TextColumn(say("Model")),
            "Levels": config.TextColumn(load_title(line), width=160),
            "Runs": config.NumberColumn(say("Runs"), width=70, help=say("How many runs of it were chosen.")),
        },
    )["selection"]["rows"]
    fits = 2 <= len(chosen) <= MOST
    if actions.button(
        say("Compare {n}", n=len(chosen)) if chosen else say("Compare"),
        type="primary",
        icon=":material/compare_arrows:",
        disabled=not fits,
        help=None if fits else say("Tick 2 to {most}.", most=MOST),
    ):
        ids = [entry.run.id for place in chosen for entry in line.contenders[place].entries]
        links.go("compare", runs=",".join(ids))
