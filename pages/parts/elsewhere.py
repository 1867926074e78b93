"""A plan as people take it elsewhere: a command line with the plan file it may need, and curl. Never contains a key."""

from collections.abc import Callable

import streamlit as st

from core.plan import RunPlan
from core.reproduce import PLAN_FILE, PYTHON
from core.words import say
from pages.parts.look import section

DEMO = "llama.cpp"


def command(line: str, plan: RunPlan, make_file: Callable[[], bytes], key: str) -> None:
    """The `cli.py` line, and beside it the file that it may read."""
    section(say("Command line"), say("from Paceline's folder; keys are named, never written"))
    st.code(line, language="bash", wrap_lines=True)
    if PLAN_FILE in line:
        words = say("The line reads {file}: download it here, into Paceline's folder.", file=f"`{PLAN_FILE}`")
        st.markdown(f":gray[:small[{words}]]")
    st.download_button(
        say("Plan file"),
        make_file,
        file_name=PLAN_FILE,
        mime="application/json",
        icon=":material/download:",
        help=say("`{python} cli.py run --plan {file}` runs it.", python=PYTHON, file=PLAN_FILE),
        on_click="ignore",
        key=key,
    )
    if plan.configuration.endpoint.demo == DEMO:
        words = say("`{python} cli.py demo` runs the whole built-in comparison.", python=PYTHON)
        st.markdown(f":gray[:small[{words}]]")


def curl(line: str | None) -> None:
    """One request as curl, or why there is none."""
    if line is None:
        section(say("One request with curl"))
        words = say("Not possible: Paceline starts this server for its runs only, each time on another free port.")
        st.markdown(f":gray[{words}]")
        return
    section(say("One request with curl"), say("the run itself sends random words, new for each request"))
    st.code(line, language="bash", wrap_lines=True)
