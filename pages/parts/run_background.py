"""How to repeat a run elsewhere, and what it ran on: plan, commands, client, server, environment."""

from collections.abc import Mapping

import pandas as pd
import streamlit as st

from core.differing import environment_facts, server_facts
from core.levels import written_stages
from core.plan import Load, RunPlan
from core.quantities import number, percent, seconds
from core.reproduce import command_line, curl, plan_file
from core.run import ClientHealth, Preflight, Run
from core.trace import Trace
from core.words import say
from core.workload_words import LANGUAGES, length_words, lengths_words, saved_words, stop_words, text_words
from pages.parts import elsewhere
from pages.parts.endpoint_table import address
from pages.parts.look import pair, section
from pages.parts.text import MISSING, count, escape_markdown

PREFLIGHT = {
    "streams": "answers come as a stream",
    "usage": "token counts at the end of a stream",
    "max_tokens_obeyed": "answers end at the length asked for",
    "token_parameter": "that length is sent as",
    "stream_options": "stream_options may be sent",
    "ignore_eos": "ignore_eos is accepted",
    "keeps_connection": "connection stays open after an answer",
    "stops_on_disconnect": "server stops when its client leaves",
    "changes": "changed for the run",
    "failure_message": "why the run cannot start",
    "template_tokens": "tokens of the chat template and a system prompt",
}


def plan_tab(run: Run) -> None:
    """The run as a command line, as curl and as a plan file, its id, and what was asked as a table."""
    plan, seen = run.plan, run.preflight or Preflight()
    left, right = pair("pair_plan", [1.3, 1], gap="medium")
    with left:
        elsewhere.command(command_line(plan), plan, lambda: plan_file([plan]), "run_plan_file")
        elsewhere.curl(curl(plan, token_parameter=seen.token_parameter, stream_options=seen.stream_options))
        section(say("Run id"), say("what `cli.py export` asks for"))
        st.code(run.id, language=None)
    with right:
        section(say("What was asked"))
        _facts(_asked(plan))


def _asked(plan: RunPlan) -> dict[str, object]:
    configuration, workload, load = plan.configuration, plan.workload, plan.load
    size = count(load.requests) if load.requests is not None else f"{number(load.duration_s)} s"
    found: dict[str, object] = {
        say("model"): configuration.model,
        **{say(name): value for name, value in configuration.settings},
        say("endpoint"): f"{configuration.endpoint.name}, {address(configuration.endpoint)}",
        say("api"): configuration.endpoint.api,
        **_level(load),
        say("requests") if load.requests is not None else say("requests are sent for"): size,
        say("warm-up requests"): count(load.warmup_requests),
        **_lengths(plan),
        say("workload"): saved_words(workload) or say("typed for this run"),
        say("language of the prompts"): say(LANGUAGES[workload.language]),
        say("system prompt"): text_words(workload.system_prompt),
        say("stop texts"): stop_words(workload),
        say("streamed"): workload.stream,
        say("temperature"): workload.temperature,
        say("exact length asked for"): workload.ignore_eos,
        say("prefix cache avoided"): workload.nonce,
        say("seed"): workload.seed,
    }
    if workload.extra_body:
        found[say("further keys")] = workload.extra_body
    if plan.slo is not None:
        found[say("SLO")] = str(plan.slo)
    for name, words in (
        ("connect_s", say("limit to connect")),
        ("first_byte_s", say("limit to the first byte")),
        ("idle_s", say("limit between bytes")),
        ("total_s", say("limit of a request")),
    ):
        found[words] = f"{number(getattr(plan.limits, name))} s"
    return found


def _lengths(plan: RunPlan) -> dict[str, object]:
    workload = plan.workload
    if plan.load.trace is not None:
        asked, answer = (say("{n} on average", n=count(round(length))) for length in plan.lengths)
        return {say("prompt, tokens"): asked, say("answer, tokens"): answer}
    if workload.pairs:
        return {say("prompt → answer, tokens"): lengths_words(workload)}
    return {
        say("prompt, tokens"): length_words(workload.input_tokens, workload.input_spread),
        say("answer, tokens"): length_words(workload.output_tokens, workload.output_spread),
    }


def _level(load: Load) -> dict[str, object]:
    if load.concurrency is not None:
        found: dict[str, object] = {say("in flight"): count(load.concurrency)}
    else:
        found = {
            say("requests/s"): number(load.rate),
            say("arrivals"): load.arrivals_words(),
            say("most in flight"): count(load.max_in_flight),
        }
    if load.stages:
        found[say("stages")] = written_stages(load.stages)
    if load.trace is not None:
        found |= _trace(load.trace)
    if load.stop_when_saturated:
        found[say("stops when saturated")] = True
    if load.restraint.words:
        found[say("held back")] = load.restraint.words
    return found


def _trace(trace: Trace) -> dict[str, object]:
    words = say("{name}, {rows:,} requests over {span:,.0f} s", name=trace.name, rows=trace.rows, span=trace.span_s)
    return {say("trace"): words, say("trace, SHA-256"): trace.digest[:16] + "…", say("speed"): number(trace.speed)}


def environment_tab(run: Run) -> None:
    """What answered, what measured, and what the preflight changed."""
    left, right = pair("pair_environment", 2, gap="medium")
    with left:
        section(say("What answered"))
        _facts(server_facts(run.environment.get("server") or {"engine": None}))
        if run.preflight is not None:
            section(say("Preflight"), say("what one or two tiny requests told before the run"))
            _facts(_preflight(run.preflight))
    with right:
        section(say("What measured"), say("the client's own health during the run"))
        _facts(_client(run.client))
        section(say("Environment"))
        _facts(environment_facts(run.environment))


def _client(client: ClientHealth) -> dict[str, object]:
    return {
        say("loop lag p50"): seconds(client.loop_lag_p50_s),
        say("loop lag p99"): seconds(client.loop_lag_p99_s),
        say("loop lag max"): seconds(client.loop_lag_max_s),
        say("CPU, cores"): number(client.cpu_share),
        say("this machine, busy"): None
        if client.machine_busy_share is None
        else percent(client.machine_busy_share, digits=1),
        say("most in flight"): None if client.max_in_flight is None else count(client.max_in_flight),
        say("workers"): count(client.workers),
        say("priority"): client.priority,
        say("socket reads a chunk"): number(client.reads_per_token),
        **_held_back(client),
    }


def _held_back(client: ClientHealth) -> dict[str, object]:
    found: dict[str, object] = {}
    if client.waited_s is not None:
        found[say("waited as asked")] = say("{s} s in {n} waits", s=number(client.waited_s), n=count(client.waits or 0))
    if client.held_requests is not None:
        found[say("left later to keep under limits")] = count(client.held_requests)
    return found


def _preflight(seen: Preflight) -> dict[str, object]:
    found: dict[str, object] = {say(words): getattr(seen, name) for name, words in PREFLIGHT.items()}
    return found | {say(PREFLIGHT["changes"]): " ".join(seen.changes) or say("nothing was changed")}


def _facts(facts: Mapping[str, object]) -> None:
    rows = [{say("What"): escape_markdown(str(name)), say("Value"): _value(value)} for name, value in facts.items()]
    st.table(pd.DataFrame(rows), border="horizontal", hide_index=True, hide_header=True)


def _value(value: object) -> str:
    if value is None or value in ("", {}, [], ()):
        return MISSING
    if isinstance(value, bool):
        return say("yes") if value else say("no")
    if isinstance(value, dict):
        return escape_markdown(", ".join(f"{name} {part}" for name, part in value.items()))
    return escape_markdown(str(value))
