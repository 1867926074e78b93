"""A launch while it goes on, for any session: progress, levels, charts of now, errors, client health, the queue.

Draws snapshots of the registry. Measures nothing; the one thing it can do is cancel.
"""

from dataclasses import replace

import pandas as pd
import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from core.charts.live import live as live_chart
from core.findings import Finding
from core.fleet.live import ENDED_STATES, LiveExperiment, LiveRun
from core.records import FailureKind
from core.run import RunState
from core.words import say
from pages.parts import last_verdict, links, live_levels, live_numbers, look, run_data, state
from pages.parts.look import RUNNING
from pages.parts.text import SIMULATED, count, escape_markdown, moment, named, plural, short

LONGEST_ERROR = 200


def title(found: LiveExperiment) -> str:
    """Its name, as markdown, and whether the simulator is what is measured."""
    simulated = [run.plan.configuration.endpoint.demo == SIMULATED for run in found.runs]
    name = named(found.name, SIMULATED if all(simulated) else "")
    if any(simulated) and not all(simulated):
        name = say("{name} (partly simulated)", name=name)
    return escape_markdown(name)


def label_of(run: LiveRun, length: int | None = None) -> str:
    """Its configuration's label, with the mark of the simulator; not escaped."""
    one = run.plan.configuration
    return named(one.label, one.endpoint.demo, length)


def subtitle(found: LiveExperiment) -> str:
    """3 configurations x 2 levels, 128 -> 64 tokens, started 14:02."""
    plans = [run.plan for run in found.runs]
    workload = plans[0].workload
    words = [
        plural(len({plan.configuration.id for plan in plans}), "configuration", "configurations")
        + " × "
        + plural(len({plan.load.concurrency for plan in plans}), "level", "levels"),
        say("{a} → {b} tokens", a=count(workload.input_tokens), b=count(workload.output_tokens)),
    ]
    if found.started_at:
        words.append(say("started {at}", at=moment(found.started_at, look.zone())))
    return escape_markdown(", ".join(words))


def head(found: LiveExperiment) -> None:
    """Name, state and what can be done."""
    actions = look.header(title(found), subtitle(found), look.badge(found.state))
    _actions(found, actions)


def show(found: LiveExperiment) -> None:
    """All below the head."""
    if found.message:
        look.problem(found.message)
    live_numbers.show(found)
    left, right = look.pair("pair_live", [1, 1.35], gap="medium")
    with left:
        look.section(say("Levels"), say("output tokens/s once done"))
        rows = state.services().runs.list_runs(experiment_id=found.id)
        rates = {row.id: row.output_tokens_per_s for row in rows}
        st.table(live_levels.table(found, rates), border="horizontal", hide_index=True)
    with right:
        _now(found)
    left, right = look.pair("pair_errors", [1.35, 1], gap="medium")
    with left:
        look.section(say("Errors"), say("by kind, with the server's own sentence"))
        _errors(found)
    with right:
        look.section(say("Noticed so far"))
        _noticed(found)


def _actions(found: LiveExperiment, place: DeltaGenerator) -> None:
    if found.state not in ENDED_STATES:
        place.button(
            say("Cancel"),
            icon=":material/stop:",
            key="live_cancel",
            on_click=state.services().registry.cancel,  # before anything is drawn again
            args=(found.id,),
            help=say("Ends within 2 s, keeps what was measured and closes the server's streams."),
        )
        return
    ids = [run.run_id for run in found.runs if run.ok]
    if len(ids) > 1:
        if place.button(say("Compare"), type="primary", icon=":material/compare_arrows:", key="live_compare"):
            links.go("compare", runs=",".join(ids))
    elif ids and place.button(say("Open run"), type="primary", icon=":material/insights:", key="live_run"):
        links.go("run", run=ids[0])


def _now(found: LiveExperiment) -> None:
    run = found.current
    if run is None:
        _after(found)
        return
    one = run.plan.configuration
    note = say("at {n} in flight, last 2 minutes · p50 solid, p95 dotted", n=run.plan.load.concurrency)
    if not run.sent:  # in the same place, so that nothing below it moves
        note = f"{say('at {n} in flight', n=run.plan.load.concurrency)} · {RUNNING} {escape_markdown(found.stage)}"
    look.section(say("Now"), f"{escape_markdown(label_of(run))} {note}")
    fig = live_chart(
        look.mode(),
        name=label_of(run),
        slot=one.slot,
        now_s=run.elapsed_s,
        tokens_per_s=run.tokens_per_s_recent,
        ttft=run.ttft_recent,
    )
    look.plot(fig, "live_chart")


def _after(found: LiveExperiment) -> None:
    """While nothing is measured: the verdict if all has ended, else what it waits for."""
    if found.state not in ENDED_STATES:
        look.section(say("Now"))
        st.markdown(f":gray[{escape_markdown(found.stage or say('waiting in line'))}]")
        return
    compared = last_verdict.last(state.services().runs.list_runs(experiment_id=found.id))
    if compared is None:
        look.section(say("Now"))
        st.markdown(f":gray[{say('Nothing is running.')}]")
        return
    look.section(say("Verdict"), say("baseline {name}", name=escape_markdown(compared.baseline)))
    last_verdict.sentences(compared)


def _errors(found: LiveExperiment) -> None:
    rows = []
    for run in found.runs:
        one = run.plan.configuration
        where = f"{look.chip(label_of(run, 24), one.slot)} :gray[{say('at')} {run.plan.load.concurrency}]"
        rows += [
            (where, f"**{escape_markdown(kind)}**", count(many), escape_markdown(short(words, LONGEST_ERROR)))
            for kind, (many, words) in run.errors.items()
            if kind != FailureKind.CANCELLED
        ]
        if run.state is RunState.FAILED and run.message:
            rows.append((where, f"**{say('run failed')}**", "", escape_markdown(short(run.message, LONGEST_ERROR))))
    if not rows:
        st.markdown(
            f":gray[{say('No request has failed. If one does, its kind and the server’s own sentence appear here.')}]"
        )
        return
    titles = [say("Run"), say("Kind"), say("Count"), say("What was said")]
    st.table(pd.DataFrame(rows, columns=titles), border="horizontal", hide_index=True)


def _noticed(found: LiveExperiment) -> None:
    """What the runs told on the way, each sentence once; after the end the reasons to doubt them, too."""
    notes: dict[str, list[str]] = {}
    for run in found.runs:
        for note in run.notes:
            notes.setdefault(note, []).append(say("{label} at {n}", label=label_of(run), n=run.plan.load.concurrency))
    doubts = _doubts(found) if found.state in ENDED_STATES else []
    if not notes and not doubts:
        st.markdown(f":gray[{say('Nothing out of the ordinary.')}]")
        return
    look.findings(doubts)
    if notes:
        with st.container(border=True, gap="xsmall"):
            for note, runs in list(notes.items())[-6:]:
                where = runs[0] if len(runs) == 1 else say("{n} runs", n=len(runs))
                st.markdown(f"{look.LEVEL_ICON['note']} &thinsp; **{escape_markdown(where)}:** {escape_markdown(note)}")


def _doubts(found: LiveExperiment) -> list[Finding]:
    """Each kind once, what is well left out: the pages of the runs have them all."""
    kinds: dict[str, list[tuple[str, Finding]]] = {}
    for run in found.runs:
        if run.ok:
            for finding in run_data.opened(run.run_id).findings:
                if finding.level != "ok":
                    kinds.setdefault(finding.kind, []).append((label_of(run), finding))
    return [_of_runs(many) for many in kinds.values()]


def _of_runs(many: list[tuple[str, Finding]]) -> Finding:
    label, first = many[0]
    where = label if len(many) == 1 else say("{n} runs, the first of them {label}", n=len(many), label=label)
    return replace(first, what=say("{where}: {what}", where=where, what=first.what))
