"""Try it: one prompt to up to four endpoints at once, their answers growing side by side. Compares nothing."""

from collections.abc import Sequence

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from core.endpoint import SIMULATED
from core.plan import Endpoint
from core.quantities import number, seconds, span
from core.servers.pace import MODELS
from core.servers.variants import VARIANTS
from core.tryit import TrialState, TrialView
from core.words import say
from pages.parts import following, look, probing, trying
from pages.parts.configuration_form import pace_words
from pages.parts.measures import definitions
from pages.parts.text import count, escape_lines, escape_markdown, since

MOST = 4
SHOWN_CHARACTERS = 6000
PROMPT = "Explain in a few sentences why the sky is blue."
TICK_S = 0.5
PICKED, OFFERED = "try_endpoints", "try_offered"
ICONS = {
    TrialState.WAITING: ":gray[:material/hourglass_empty:]",
    TrialState.ANSWERING: look.RUNNING,
    TrialState.DONE: ":green[:material/check_circle:]",
    TrialState.FAILED: ":red[:material/error:]",
    TrialState.CANCELLED: ":orange[:material/cancel:]",
}


def show(known: Sequence[Endpoint], ticked: str | None = None) -> None:
    """The section: what is asked of whom, and the answers. Begins with the endpoint that is ticked above."""
    look.section(say("Try it"), say("one prompt to up to four endpoints at once, through the openai SDK"))
    with st.container(border=True, gap="small"):
        names = {one.name: one for one in known}
        picked, length = look.pair("pair_try", [3, 1], gap="small")
        _begin_with([ticked] if ticked else _ready(known))
        chosen = picked.multiselect(
            say("Endpoints"), list(names), max_selections=MOST, key=PICKED, persist_state="session"
        )
        tokens = length.number_input(say("Answer at most, tokens"), 1, 4096, 160, step=32, key="try_tokens")
        models = _models([names[name] for name in chosen])
        prompt = st.text_area(say("Prompt"), say(PROMPT), key="try_prompt", height=70)
        with st.container(horizontal=True, gap="xsmall"):
            ready = bool(chosen) and all(model for _, model in models) and bool(prompt.strip())
            why = None if ready else say("Choose endpoints, a model for each of them, and write a prompt.")
            if st.button(say("Ask"), icon=":material/send:", key="try_ask", disabled=not ready, help=why):
                trying.stop()
                trying.start(prompt, models, tokens)
        attempt = trying.current()
        if attempt is not None:
            following.follow(attempt.going, lambda: not attempt.going, lambda: _answers(attempt), tick_s=TICK_S)


def _begin_with(names: list[str]) -> None:
    """Choose these until somebody chooses otherwise: what was picked by hand stays whatever is ticked."""
    if st.session_state.get(PICKED) in (None, st.session_state.get(OFFERED)):
        st.session_state[PICKED] = st.session_state[OFFERED] = names


def _ready(known: Sequence[Endpoint]) -> list[str]:
    """What to begin with: an endpoint that answered its last probe, else the bundled model."""
    answered = [one.name for one in known if (probe := probing.last(one)) is not None and probe.ok]
    return answered[:1] or [one.name for one in known if one.demo][:1]


def _models(chosen: Sequence[Endpoint]) -> list[tuple[Endpoint, str]]:
    found = []
    for place, endpoint in zip(st.columns(max(2, len(chosen)), gap="small"), chosen, strict=False):
        probe = probing.last(endpoint)
        options = {"llama.cpp": list(VARIANTS), SIMULATED: list(MODELS)}.get(endpoint.demo)
        listed = options or list(probe.models if probe else ())
        first = probe.model if probe and probe.model in listed else next(iter(listed), None)
        name = f"try_model_{endpoint.name}"
        # Not as the box's own first value: that is asked for once, and a probe may have listed the models since.
        if st.session_state.get(name) is None:
            st.session_state[name] = first
        model = place.selectbox(
            say("Model at {name}", name=escape_markdown(endpoint.name)),
            listed,
            index=None,
            accept_new_options=not endpoint.demo,
            placeholder=say("a name, or probe it first"),
            key=name,
            format_func=pace_words if endpoint.demo == SIMULATED else str,
        )
        found.append((endpoint, model or ""))
    return found


def _answers(attempt: trying.Attempt) -> None:
    if attempt.going and not attempt.stopped:
        st.button(say("Stop"), icon=":material/stop:", key="try_stop", on_click=trying.stop)
    if attempt.trial is None:
        _starting(attempt)
        return
    views = attempt.trial.snapshot()
    for place, view in zip(look.pair("pair_answers", len(views), gap="small"), views, strict=True):
        _answer(place, view, "" if attempt.job is None else since(attempt.job.started_at))


def _starting(attempt: trying.Attempt) -> None:
    """What is waited for before anything can be asked, and for how long by now."""
    job = attempt.job
    if job is None:
        return
    if not job.running:
        if job.message:
            look.problem(job.message, level="act" if attempt.stopped else "stop")
        return
    stage = say("Stopping") if attempt.stopped else job.stage or say("Starting")
    st.markdown(f"{look.RUNNING} :shimmer[{escape_markdown(stage)}] &ensp; **{since(job.started_at)}**")
    st.markdown(f":gray[{say('The built-in server is started for this; all are asked at once when it answers.')}]")


def _answer(place: DeltaGenerator, view: TrialView, so_far: str) -> None:
    with place.container(border=True, gap="xsmall"):
        st.markdown(f"{ICONS[view.state]} **{escape_markdown(view.label)}**")
        if view.state is TrialState.WAITING:
            st.markdown(_waited(view, so_far))
        else:
            st.markdown(_speed(view), help=_meaning(view))
        if view.held_up:
            look.problem(_held_up(view), level="act")
        if view.error_sentence:
            look.problem(view.error_sentence)
        with st.container(height=220, border=False):
            if view.reasoning:
                st.markdown(
                    f":gray[:small[{say('THINKING')}]]  \n:gray[{escape_lines(view.reasoning[-SHOWN_CHARACTERS:])}]"
                )
            st.markdown(escape_lines(view.text[-SHOWN_CHARACTERS:]) or "&nbsp;")
        if view.note:
            st.markdown(f":gray[{escape_markdown(view.note)}]")


def _waited(view: TrialView, so_far: str) -> str:
    """How long nothing has come: since the SDK was called, before that since somebody asked."""
    if view.elapsed_s is None:
        return f":shimmer[{say('Loading the openai SDK')}] &ensp; **{so_far}**"
    return f":shimmer[{say('Waiting for the first token')}] &ensp; **{span(view.elapsed_s)}**"


def _speed(view: TrialView) -> str:
    first = f":gray[TTFT] **{seconds(view.ttft_s)}** &ensp; "
    if view.output_tokens is None:
        chunks = say("{n} chunks so far", n=count(view.chunks))
        return f"{first}**{say('{n} chunks/s', n=number(view.chunks_per_s))}** :gray[{chunks}]"
    speed = say("{n} tokens/s", n=number(view.tokens_per_s))
    return f"{first}**{speed}** :gray[{say('{n} tokens', n=count(view.output_tokens))}]"


def _held_up(view: TrialView) -> str:
    """Why its times are none of the server's."""
    why = say("This machine had almost nothing idle meanwhile")
    if view.was_late:
        why = say("This machine was held up meanwhile, its own reader by up to {late}", late=seconds(view.late_s))
    return say("{why}: these times say little of the server. Ask again when it is idle.", why=why)


def _meaning(view: TrialView) -> str:
    """The words behind the "?" of the line of speeds."""
    told = say("As the openai SDK hands the answer over, opening the connection not counted: a look, no measurement.")
    return f"{told}\n\n{definitions(('ttft_s', 'chunk_us' if view.output_tokens is None else 'decode_tps'))}"
