"""A launch that has ended: what was measured or what failed, in one sentence and four numbers. Draws snapshots."""

from contextlib import suppress
from dataclasses import dataclass

import streamlit as st

from core.fleet.live import LiveExperiment, LiveRun
from core.quantities import seconds
from core.run import RunState
from core.words import say
from pages.parts import live_doubts, look, state
from pages.parts.live_doubts import Health
from pages.parts.live_names import label_of
from pages.parts.live_numbers import Cell, draw, hour, rates
from pages.parts.measures import definition, hint, sentence
from pages.parts.text import clock, count, escape_markdown, plural, short
from storage.runs import RunNotFound

LONGEST_REASON = 300
CUT_SHORT = {RunState.CANCELLED: "Cancelled", RunState.INTERRUPTED: "Interrupted"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """How it ended; the reason may quote a server."""

    level: str
    what: str
    reason: str = ""

    @property
    def next_step(self) -> str:
        """What to do where nothing was measured."""
        return say("Probe the endpoint: it says what is wrong and what to try.") if self.level == "stop" else ""


def outcome(found: LiveExperiment) -> Outcome:
    """What was measured, or what failed and why."""
    answered = sum(run.ok for run in found.runs)
    lost = sum(run.unanswered for run in found.runs)
    whole, fell = of_state(found, RunState.COMPLETED), of_state(found, RunState.FAILED)
    reason = _reason(found, fell or of_state(found, RunState.INTERRUPTED))
    all_runs = plural(len(found.runs), "run", "runs")
    if found.state in CUT_SHORT:
        kept = plural(answered, "answer is kept", "answers are kept")
        how = say(CUT_SHORT[found.state])
        words = say("{how} after {done} of {all}: {kept}.", how=how, done=count(len(whole)), all=all_runs, kept=kept)
        none = say("{how} before anything was measured.", how=how)
        return Outcome(level="note", what=words if answered else none, reason=reason)
    if not answered:
        return Outcome(level="stop", what=say("Nothing was measured."), reason=reason or say("No request succeeded."))
    if found.message and not fell:  # measured, but something went wrong with keeping it
        words = say("{done} of {all} measured, then it stopped.", done=count(len(whole)), all=all_runs)
        if found.state is RunState.COMPLETED:
            words = say("{all} measured, but the end could not be stored at once.", all=all_runs)
        return Outcome(level="act", what=words, reason=reason)
    if fell or found.state is RunState.FAILED:
        words = say(
            "{done} of {all} measured, {failed} failed.", done=count(len(whole)), all=all_runs, failed=len(fell)
        )
        return Outcome(level="act", what=words, reason=reason)
    asked = count(answered + lost)
    if lost:
        words = say(
            "{all} measured, but {lost} of {asked} requests had no usable answer.",
            all=all_runs,
            lost=count(lost),
            asked=asked,
        )
        return Outcome(level="act", what=words)
    return Outcome(
        level="ok", what=say("{all} measured, {asked} requests, each of them answered.", all=all_runs, asked=asked)
    )


def of_state(found: LiveExperiment, state: RunState) -> list[LiveRun]:
    """Its runs that ended so."""
    return [run for run in found.runs if run.state is state]


def _reason(found: LiveExperiment, fell: list[LiveRun]) -> str:
    """Why, in the words of the launch or of its first failed run; what the others said stands with the errors."""
    told = list(dict.fromkeys(run.message for run in fell if run.message))
    words = short(found.message or (told[0] if told else ""), LONGEST_REASON)
    return words + (say(" Others failed in other ways.") if len(told) > 1 and not found.message else "")


def show(found: LiveExperiment) -> None:
    """The sentence, and the numbers if there are any."""
    told = outcome(found)
    with st.container(border=True, gap="small"):
        reason = f" {escape_markdown(told.reason)}" if told.reason else ""
        do = f" :gray[{told.next_step}]" if told.next_step else ""
        st.markdown(f"{look.LEVEL_ICON[told.level]} &thinsp; **{escape_markdown(told.what)}**{reason}{do}")
        if any(run.sent for run in found.runs):
            measured = [run for run in found.runs if run.sent]
            of_one = rates(measured[0]) if len(measured) == 1 else []  # of several each run's page tells
            draw([_runs(found), _time(found), _answered(found), *of_one, _lag(found)], "cards4_ended")


def tutorial_line(found: LiveExperiment) -> None:
    """What a tutorial's script would have printed for the first run with answers, and why it differs."""
    first = next((run for run in found.runs if run.ok), None)
    if first is None:
        return
    with suppress(RunNotFound):  # deleted since
        told = state.services().runs.summary(first.run_id).tutorial
        if told is not None:
            whose = say("{label} at {level}:", label=label_of(first), level=first.plan.load.words())
            words = told.sentence if len(found.runs) == 1 else f"{whose} {told.sentence}"
            sentence(words, help_text=definition("tutorial"))


def _runs(found: LiveExperiment) -> Cell:
    fell = len(of_state(found, RunState.FAILED))
    return Cell(
        title=say("Runs"),
        value=f"{len(of_state(found, RunState.COMPLETED))} / {len(found.runs)}",
        note=say("{n} failed", n=count(fell)) if fell else say("completed"),
        tone="red" if fell else "off",
    )


def _time(found: LiveExperiment) -> Cell:
    ended = found.ended_at or found.started_at
    took = (ended - found.started_at).total_seconds() if ended and found.started_at else None
    return Cell(
        title=say("Time taken"),
        value=clock(took),
        note=say("ended {at}", at=hour(ended)),
        help=say("The whole launch: servers' starts, preflights, warm-ups and rests between runs included."),
    )


def _answered(found: LiveExperiment) -> Cell:
    lost = sum(run.unanswered for run in found.runs)
    answered = sum(run.ok for run in found.runs)
    return Cell(
        title=say("Answered"),
        value=count(answered),
        note=say("{n} without an answer", n=count(lost)) if lost else say("of {n} requests", n=count(answered)),
        tone="red" if lost else "green",
        help=hint(
            say("Requests with a usable answer, warm-up left out; what was cancelled counts as neither."),
            "success_rate",
        ),
    )


def _lag(found: LiveExperiment) -> Cell:
    known = [run for run in found.runs if run.client.loop_lag_p99_s is not None]
    late = sum(live_doubts.late(run) is not None for run in known)
    busy = sum(live_doubts.crowded(run) is not None for run in found.runs)
    health = Health(word=say("healthy"), tone="green") if known else Health(word=say("not known"), tone="off")
    if late:
        health = Health(word=plural(late, "run client-limited", "runs client-limited"), tone="red")
    elif busy:
        health = Health(word=plural(busy, "run on a busy machine", "runs on a busy machine"), tone="orange")
    return Cell(
        title=say("Client lag p99"),
        value=seconds(max((run.client.loop_lag_p99_s or 0.0 for run in known), default=None)),
        note=health.word,
        tone=health.tone,
        help=hint(say("How late the load generator's own loop was, in the run where it was latest."), "loop_lag_p99_s"),
    )
