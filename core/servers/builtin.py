"""The built-in endpoints and the one-click comparison, as plans. Never starts a server: it says which one is needed."""

import uuid
from collections.abc import Sequence
from dataclasses import replace
from typing import Literal

from core.endpoint import SIMULATED
from core.plan import Configuration, Endpoint, Experiment, Limits, Load, PlanError, RunPlan, Workload
from core.servers import variants
from core.servers.demo import RunningServer
from core.servers.pace import MODELS
from core.words import say

Kind = Literal["full", "short"]
PLACEHOLDER = "http://127.0.0.1/v1"  # the port is known when the server runs
COMPARED = variants.QUANTIZATIONS
STREAMS = (1, 4)
LIMITS = Limits(connect_s=5.0, first_byte_s=120.0, idle_s=60.0, total_s=300.0)
# Seconds for each of the six runs: with warm-ups and engine starts about 3 minutes, and about 30 s.
RUN_S: dict[Kind, float] = {"full": 26.0, "short": 3.0}
# Long enough for the chat template and a nonce, which are 37 tokens; short enough that the slowest run has the 30
# requests which its higher percentiles need, on an ordinary machine.
LENGTHS: dict[Kind, tuple[int, int]] = {"full": (48, 32), "short": (40, 32)}


def engine_endpoint() -> Endpoint:
    """The bundled llama.cpp; its address is filled in when it runs."""
    return Endpoint(name=say("Built-in llama.cpp"), base_url=PLACEHOLDER, demo="llama.cpp", limits=LIMITS)


def simulated_endpoint() -> Endpoint:
    """The paced simulator; its address is filled in when it runs."""
    return Endpoint(name=say("Simulated"), base_url=PLACEHOLDER, demo=SIMULATED, limits=LIMITS)


def variant_configuration(name: str, slot: int) -> Configuration:
    """The bundled model as a variant, always under the same id. Raises VariantError."""
    chosen = variants.variant(name)
    return Configuration(
        id="demo-" + "".join(letter if letter.isalnum() or letter == "_" else "-" for letter in name.lower()),
        label=f"SmolLM2-135M {name}",
        endpoint=engine_endpoint(),
        model=variants.MODEL,
        settings=chosen.settings,
        slot=slot,
        variant=name,
    )


def simulated_configuration(slot: int, model: str = MODELS[0]) -> Configuration:
    """A pace of the simulator, plainly named so."""
    label = say("Simulated {model}", model=model)
    return Configuration(
        id=f"simulated-{model}", label=label, endpoint=simulated_endpoint(), model=model, slot=slot,
        settings=(("engine", SIMULATED),),
    )  # fmt: skip


def demo_workload(input_tokens: int, output_tokens: int) -> Workload:
    """Random words and answers of one length, without the engine's prompt cache: what is timed is really done."""
    return Workload(
        input_tokens=input_tokens,
        output_tokens=output_tokens,
        ignore_eos=True,
        extra_body={"cache_prompt": False},
    )


def builtin_experiment(kind: Kind, slots: Sequence[int] = (0, 1, 2)) -> Experiment:
    """Q4_0, Q8_0 and F16 at 1 and 4 streams, level by level, so that drift of the machine hits all alike."""
    workload = demo_workload(*LENGTHS[kind])
    configurations = [variant_configuration(name, slot) for name, slot in zip(COMPARED, slots, strict=True)]
    plans = tuple(
        RunPlan(
            configuration=configuration,
            workload=workload,
            load=Load(concurrency=streams, requests=None, duration_s=RUN_S[kind], warmup_requests=streams),
        )
        for streams in STREAMS
        for configuration in configurations
    )
    return Experiment(id=uuid.uuid4().hex[:12], name=say("Built-in comparison: Q4_0, Q8_0, F16"), plans=plans)


def server_name(plan: RunPlan) -> str:
    """Which built-in server a plan needs, as `DemoServers.start` knows it. Raises PlanError where it needs none."""
    configuration = plan.configuration
    if configuration.endpoint.demo == SIMULATED:
        return SIMULATED
    if configuration.endpoint.demo == "llama.cpp" and configuration.variant is not None:
        return configuration.variant
    raise PlanError(
        say("{label} is not served by a built-in server: choose its endpoint again.", label=configuration.label)
    )


def with_address(plan: RunPlan, server: RunningServer) -> RunPlan:
    """The plan with the address of the server that now runs; everything else stays."""
    endpoint = replace(plan.configuration.endpoint, base_url=server.base_url)
    return replace(plan, configuration=replace(plan.configuration, endpoint=endpoint))
