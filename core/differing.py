"""What is known of each contender in words, and which of it sets them apart. Judges nothing."""

import dataclasses
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from core.lineup import Contender, Lineup
from core.quantities import number, seconds
from core.wire.rate_limits import OF_THE_MOMENT
from core.words import say
from core.workload import Workload
from core.workload_words import exact_lengths, length_words, saved_words, stop_words, text_words

IN_THEIR_WORDS = (
    "input_spread", "output_spread", "pairs", "system_prompt", "stop", "saved_name", "saved_version",
)  # fmt: skip
KILO = 1000
IN_BYTES = ("size", "bytes", "memory_bytes")
IN_SECONDS = ("late_p99_s", "late_max_s", "requests_reset_s", "tokens_reset_s")
SERVER_NAMES = {
    "ftype": "quantization", "size": "size of weights", "bytes": "size of weights", "n_params": "parameters",
    "n_ctx": "context, tokens", "n_ctx_train": "context in training, tokens", "n_vocab": "vocabulary, tokens",
    "n_embd": "embedding width", "vocab_type": "kind of vocabulary", "max_model_len": "context, tokens",
    "late_p99_s": "late, p99", "late_max_s": "late, most", "requests_reset_s": "requests reset in",
    "tokens_reset_s": "tokens reset in",
}  # fmt: skip

ENVIRONMENT_NAMES = {
    "paceline": "Paceline", "python": "Python", "libraries": "libraries", "cpu": "processor", "cores": "cores",
    "memory_bytes": "memory", "platform": "system",
}  # fmt: skip


@dataclass(frozen=True, slots=True, kw_only=True)
class Setting:
    """One setting over all contenders, in their order."""

    name: str
    told: tuple[str, ...]

    @property
    def differs(self) -> bool:
        """Whether it sets them apart."""
        return len(set(self.told)) > 1


def settings(line: Lineup) -> list[Setting]:
    """Everything known of what answered and what was asked, as words; "" where it is not known."""
    tables = [_facts(contender) for contender in line.contenders]
    names = list(dict.fromkeys(name for table in tables for name in table))
    return [Setting(name=name, told=tuple(table.get(name, "") for table in tables)) for name in names]


def _facts(contender: Contender) -> dict[str, str]:
    configuration, workload = contender.configuration, contender.workload
    run = contender.entries[0].run
    found = {say("model"): configuration.model, **{say(name): value for name, value in configuration.settings}}
    server = run.environment.get("server") or {}
    told = server_facts({name: value for name, value in server.items() if name not in OF_THE_MOMENT})
    found |= {say("server {name}", name=name): value for name, value in told.items()}
    found[say("endpoint")] = configuration.endpoint.name
    found[say("api")] = configuration.endpoint.api
    found |= _asked(workload)
    load = run.plan.load
    if load.trace is not None:  # the workload's own are those of the warm-up
        asked, answer = run.plan.lengths
        found[say("input tokens")] = say("{n:,.0f} on average", n=asked)
        found[say("output tokens")] = say("{n:,.0f} on average", n=answer)
    found[say("requests a level")] = _text(load.requests) if load.requests else f"{load.duration_s:g} s"
    found[say("warm-up requests")] = str(load.warmup_requests)
    if arrivals := load.arrivals_words():
        found[say("arrivals")] = arrivals
        found[say("most in flight")] = _text(load.max_in_flight) or say("no cap")
    if load.stages:
        found[say("stages")] = ", ".join(stage.words for stage in load.stages)
    if load.trace is not None:
        found[say("trace, rows")] = say("{rows:,} of {digest}", rows=load.trace.rows, digest=load.trace.digest[:12])
    if load.restraint.words:
        found[say("held back")] = load.restraint.words
    for key in ("paceline", "python", "cpu", "platform"):
        found[say("client {name}", name=key)] = _text(run.environment.get(key))
    found[say("client priority")] = run.client.priority
    return found


def _asked(workload: Workload) -> dict[str, str]:
    names = [spec.name for spec in dataclasses.fields(workload) if spec.name not in IN_THEIR_WORDS]
    found = {say(name.replace("_", " ")): _text(getattr(workload, name)) for name in names}
    found[say("saved workload")] = saved_words(workload)
    found[say("system prompt")] = text_words(workload.system_prompt)
    found[say("stop")] = stop_words(workload)
    if workload.pairs:
        return found | {say("pairs of lengths"): exact_lengths(workload)}
    found[say("input tokens")] = length_words(workload.input_tokens, workload.input_spread)
    found[say("output tokens")] = length_words(workload.output_tokens, workload.output_spread)
    return found


def server_facts(server: Mapping[str, object]) -> dict[str, str]:
    """What a server told of itself and its model, in readable names and with units."""
    return {
        say(SERVER_NAMES.get(key, key.replace("_", " "))): _server_text(key, value) for key, value in server.items()
    }


def environment_facts(environment: Mapping[str, object]) -> dict[str, str]:
    """What a run kept of the machine that measured it; what is not known here keeps its name."""
    return {
        say(ENVIRONMENT_NAMES.get(key, key)): _server_text(key, value)
        for key, value in environment.items()
        if key != "server"
    }


def _server_text(key: str, value: object) -> str:
    if isinstance(value, int | float) and not isinstance(value, bool):
        if key in IN_BYTES:
            return _scaled(value, ("B", "kB", "MB", "GB", "TB"))
        if key in IN_SECONDS:
            return seconds(value)
        if key == "n_params":
            return _scaled(value, ("", "k", "M", "G", "T"))
    return _text(value)


def _scaled(value: float, units: Sequence[str]) -> str:
    place = 0
    while abs(value) >= KILO and place < len(units) - 1:
        value, place = value / KILO, place + 1
    return f"{number(value)} {units[place]}".strip()


def _text(value: object) -> str:
    if value is None or value in ({}, "", []):
        return ""
    if isinstance(value, bool):
        return say("yes") if value else say("no")
    if isinstance(value, int):
        return f"{value:,}"
    if isinstance(value, dict):
        return ", ".join(f"{name} {part}" for name, part in value.items())
    return str(value)
