"""A run as people repeat it elsewhere: a command line, a curl request, a plan file. Never contains a key's value."""

import dataclasses
import re
import shlex
from collections.abc import Sequence
from typing import Any

import orjson

from core import redaction
from core.lengths import Length, pairs_words
from core.levels import short, written_stages
from core.plan import Experiment, Limits, Load, RunPlan, Sweep, Workload
from core.restraint import Restraint
from core.wire import request
from core.workload import Spread, mean_of

TIMEOUTS = (
    ("connect_s", "--timeout-connect"),
    ("first_byte_s", "--timeout-first-byte"),
    ("idle_s", "--timeout-idle"),
    ("total_s", "--timeout-total"),
)
COMMAND_LINE = "command-line"  # the id of what its options make: only there a key's name is a variable's
PLAN_FILE = "plan.json"
PYTHON = ".venv/bin/python"  # as the README has it: another one lacks the packages
SAMPLE_PROMPT = "Write a short story about a river."


def command_line(plan: RunPlan, experiment: Experiment | None = None) -> str:
    """The `cli.py` line that runs this plan: only what differs from the command's own defaults, and what matters.

    With an experiment that finds its levels, the line finds them too. What the options cannot say is run from the plan
    file, which stands beside the line.
    """
    sweep = experiment.sweep if experiment is not None else None
    if _beyond_options(plan) or (sweep is not None and sweep.between != Sweep().between):
        return f"{PYTHON} cli.py run --plan {PLAN_FILE}"
    words = [PYTHON, "cli.py", "run", *_target(plan), *_load(plan, _found_levels(experiment))]
    words += [*_request(plan), *_timeouts(plan.limits)]
    if experiment is not None and experiment.is_adaptive and experiment.cooldown_s:
        words += ["--cooldown", short(experiment.cooldown_s)]
    return _joined(words)


def _found_levels(experiment: Experiment | None) -> list[str]:
    """The option of levels that are found on the way; empty if they are given."""
    if experiment is None or not experiment.is_adaptive:
        return []
    search, sweep = experiment.search, experiment.sweep
    if search is not None:
        return [f"--{search.variable}", f"{short(search.low)}..{short(search.high)}"]
    return ["--concurrency", f"auto:{sweep.high if sweep else Sweep().high}"]


def _beyond_options(plan: RunPlan) -> bool:
    """A server that Paceline starts itself, or a value that has no option."""
    limits, endpoint = plan.limits, plan.configuration.endpoint
    return (
        bool(endpoint.demo)
        or (plan.load.concurrency is not None and bool(plan.load.stages))
        or _is_beyond(plan.workload)
        or limits.max_requests != Limits().max_requests
        or (endpoint.key_name is not None and plan.configuration.id != COMMAND_LINE)  # a name in secrets.toml
    )


def _is_beyond(workload: Workload) -> bool:
    """Whether there is no option for some of it."""
    return (
        workload.temperature is None
        or not workload.nonce
        or (workload.system_prompt or "").startswith("@")  # which would name a file
        or bool(workload.pairs and mean_of(workload.pairs) != (workload.input_tokens, workload.output_tokens))
        or _is_off_center(workload.input_tokens, workload.input_spread)
        or _is_off_center(workload.output_tokens, workload.output_spread)
    )


def _is_off_center(mean: int, spread: Spread | None) -> bool:
    """Whether a mean is not the one that its bounds alone would be read as."""
    return spread is not None and spread.shape == "uniform" and mean != (spread.low + spread.high) // 2


def _target(plan: RunPlan) -> list[str]:
    endpoint = plan.configuration.endpoint
    words = ["--base-url", endpoint.base_url, "--model", plan.configuration.model]
    if plan.configuration.label != plan.configuration.model:
        words += ["--label", plan.configuration.label]
    if endpoint.api != "chat":
        words += ["--api", endpoint.api]
    if endpoint.key_name:
        words += ["--api-key-env", endpoint.key_name]
    if endpoint.ca_file:
        words += ["--ca", endpoint.ca_file]
    if not endpoint.verify:
        words.append("--insecure")
    for name, value in redaction.headers(endpoint.headers):
        words += ["--header", f"{name}: {value}"]
    return words


def _load(plan: RunPlan, found_levels: list[str]) -> list[str]:
    load = plan.load
    if load.concurrency is not None:
        words = found_levels or ["--concurrency", str(load.concurrency)]
    else:
        words = _open_loop(load, found_levels)
    if load.requests is None:
        words += ["--duration", short(load.duration_s or 0)]
    elif load.trace is None or load.requests < load.trace.rows:
        words += ["--requests", str(load.requests)]
    words += ["--warmup-requests", str(load.warmup_requests)]
    if load.stop_when_saturated:
        words.append("--stop-when-saturated")
    words += _restraint(load.restraint)
    if plan.slo is not None:
        words += [word for limit in plan.slo.limits for word in ("--slo", str(limit))]
    return words


def _open_loop(load: Load, found_levels: list[str]) -> list[str]:
    words = ["--stages", written_stages(load.stages)] if load.stages else ["--rate", short(load.value)]
    if load.trace is not None:
        words = ["--trace", load.trace.name, *(["--speed", short(load.trace.speed)] if load.trace.speed != 1 else [])]
    words = found_levels or words
    if load.constant or load.burstiness != 1:
        words += ["--burstiness", "inf" if load.constant else short(load.burstiness)]
    if load.max_in_flight is not None:
        words += ["--max-in-flight", str(load.max_in_flight)]
    return words


def _restraint(restraint: Restraint) -> list[str]:
    words = []
    if restraint.requests_per_minute is not None:
        words += ["--rpm", str(restraint.requests_per_minute)]
    if restraint.tokens_per_minute is not None:
        words += ["--tpm", str(restraint.tokens_per_minute)]
    if restraint.as_told:
        words.append("--keep-under-limits")
    if restraint.wait_as_asked:
        words.append("--wait-as-asked")
    return words


def _request(plan: RunPlan) -> list[str]:
    workload = plan.workload
    words = _texts(workload)
    if not workload.stream:
        words.append("--no-stream")
    if workload.ignore_eos:
        words.append("--ignore-eos")
    extra = dict(redaction.body(workload.extra_body))
    if workload.temperature not in (0.0, None):  # the command's own is 0
        extra.setdefault("temperature", workload.temperature)
    if extra:
        words += ["--extra-body", orjson.dumps(extra).decode()]
    if workload.seed:
        words += ["--seed", str(workload.seed)]
    if workload.keep_text:
        words.append("--keep-text")
    return words


def _texts(workload: Workload) -> list[str]:
    words = _lengths(workload)
    if workload.language != "english":
        words += ["--language", workload.language]
    if workload.system_prompt is not None:
        words += ["--system-prompt", workload.system_prompt]
    return words + [word for text in workload.stop for word in ("--stop", text)]


def _lengths(workload: Workload) -> list[str]:
    if workload.pairs:
        return ["--lengths", pairs_words(workload.pairs)]
    asked = Length(mean=workload.input_tokens, spread=workload.input_spread).words()
    return [
        "--input-tokens",
        asked,
        "--output-tokens",
        Length(mean=workload.output_tokens, spread=workload.output_spread).words(),
    ]


def _timeouts(limits: Limits) -> list[str]:
    usual = Limits()
    words = []
    for name, option in TIMEOUTS:
        if getattr(limits, name) != getattr(usual, name):
            words += [option, f"{getattr(limits, name):g}"]
    if limits.max_output_tokens is not None:
        words += ["--max-output-tokens", str(limits.max_output_tokens)]
    if limits.error_share != usual.error_share:
        words += ["--max-failures", f"{limits.error_share * 100:.12g}"]
    return words


def _joined(words: Sequence[str]) -> str:
    """Quoted for a shell, an option and its value a line."""
    lines, line = [], ""
    for word in words:
        if word.startswith("--") and line:
            lines.append(line)
            line = "  "
        line += ("" if line in ("", "  ") else " ") + shlex.quote(word)
    return " \\\n".join([*lines, line])


def curl(plan: RunPlan, *, token_parameter: str = "max_tokens", stream_options: bool = True) -> str | None:  # noqa: S107 -- a parameter's name
    """One request of the run as a curl line; the prompt stands for the random words of the run.

    None for a server that Paceline starts itself: it has another port each time, and is gone after the run.
    """
    endpoint, workload = plan.configuration.endpoint, plan.workload
    if endpoint.demo:
        return None
    body = request.request_body(
        model=plan.configuration.model,
        api=endpoint.api,
        prompt=SAMPLE_PROMPT,
        output_tokens=workload.output_tokens,
        stream=workload.stream,
        temperature=workload.temperature,
        token_parameter=token_parameter,
        stream_options=stream_options,
        ignore_eos=workload.ignore_eos,
        system_prompt=workload.system_prompt,
        stop=workload.stop,
        extra_body=redaction.body(workload.extra_body),
    )
    lines = [f"curl -N {shlex.quote(endpoint.base_url + request.path(endpoint.api))}"]
    lines.append("-H 'Content-Type: application/json'")
    if endpoint.key_name:
        lines.append(f'-H "Authorization: Bearer ${_variable(endpoint.key_name)}"')
    lines += [f"-H {shlex.quote(f'{name}: {value}')}" for name, value in redaction.headers(endpoint.headers)]
    if endpoint.ca_file:
        lines.append(f"--cacert {shlex.quote(endpoint.ca_file)}")
    elif not endpoint.verify:
        lines.append("--insecure")
    lines.append(f"-d {shlex.quote(body.decode())}")
    return " \\\n  ".join(lines)


def _variable(key_name: str) -> str:
    """The key's name as a shell variable; dots and dashes cannot stand in one."""
    return re.sub(r"\W", "_", key_name)


def plan_file(plans: Sequence[RunPlan], experiment: Experiment | None = None) -> bytes:
    """Plans as the JSON that `cli.py run --plan` reads; with an experiment also how it finds its levels."""
    content = {"format": "paceline-plan", "version": 1, "plans": [_without_secrets(plan) for plan in plans]}
    if experiment is not None:
        content["experiment"] = experiment.beside_plans()
    return orjson.dumps(content, option=orjson.OPT_INDENT_2)


def _without_secrets(plan: RunPlan) -> dict[str, Any]:
    """The plan without the headers that smell of a secret: a hidden value could not be sent."""
    endpoint, workload = plan.configuration.endpoint, plan.workload
    kept = tuple(pair for pair in redaction.headers(endpoint.headers) if redaction.HIDDEN not in pair[1])
    configuration = dataclasses.replace(plan.configuration, endpoint=dataclasses.replace(endpoint, headers=kept))
    asked = dataclasses.replace(workload, extra_body=redaction.body(workload.extra_body))
    return dataclasses.replace(plan, configuration=configuration, workload=asked).to_dict()
