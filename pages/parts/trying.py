"""One prompt to up to four endpoints, in the background of one session; built-in servers are started for it."""

from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field, replace

import streamlit as st

from core.background import Job, Progress
from core.endpoint import SIMULATED
from core.plan import Endpoint, PlanError
from core.servers.demo import DemoError
from core.tryit import Contestant, Trial, TrialLimits, preload
from core.words import say
from pages.parts import state

ATTEMPT = "try_attempt"
LONGEST_S = 120.0


@dataclass(slots=True, kw_only=True)
class Attempt:
    """A trial that is being prepared, or that goes on.

    Attributes:
        trial: None until the built-in servers it needs are up.
        stopped: Nobody waits for them any more.
    """

    labels: tuple[str, ...]
    job_name: str
    trial: Trial | None = field(default=None, repr=False)
    stopped: bool = False

    @property
    def job(self) -> Job | None:
        """The background work behind it."""
        return state.services().background.find(self.job_name)

    @property
    def going(self) -> bool:
        """Whether more is to come."""
        job = self.job
        return job is not None and job.running


def current() -> Attempt | None:
    """This session's last attempt."""
    attempt: Attempt | None = st.session_state.get(ATTEMPT)
    return attempt


def start(prompt: str, chosen: Sequence[tuple[Endpoint, str]], output_tokens: int) -> None:
    """Ask `prompt` of every (endpoint, model). For a built-in endpoint the model is a variant or a pace."""
    services, keys = state.services(), state.session_keys()
    number = st.session_state["try_number"] = st.session_state.get("try_number", 0) + 1
    labels = tuple(f"{endpoint.name}: {model}" for endpoint, model in chosen)
    attempt = Attempt(labels=labels, job_name=f"try {id(keys)} {number}")

    def work(progress: Progress) -> None:
        def tell(share: float, stage: str) -> None:
            if attempt.stopped:
                raise DemoError(say("Stopped before anything was asked."))
            progress(share, stage)

        with ExitStack() as stack:
            contestants = []
            for (endpoint, model), label in zip(chosen, labels, strict=True):
                asked, name = endpoint, model
                if endpoint.demo:
                    server = SIMULATED if endpoint.demo == SIMULATED else model
                    running = stack.enter_context(services.demo.running(server, progress=tell))
                    asked = replace(endpoint, base_url=running.base_url)
                    name = model if endpoint.demo == SIMULATED else running.model
                contestants.append(Contestant(label=label, endpoint=asked, model=name))
            tell(1.0, say("Asking"))
            limits = TrialLimits(output_tokens=output_tokens, total_s=LONGEST_S)
            attempt.trial = Trial(prompt, contestants, session=keys, limits=limits)
            attempt.trial.wait(LONGEST_S * 2)

    preload()
    services.background.start(attempt.job_name, work, expected=(DemoError, PlanError))
    st.session_state[ATTEMPT] = attempt


def stop() -> None:
    """End the answers that are still coming, or the start of the servers for them."""
    attempt = current()
    if attempt is not None:
        attempt.stopped = True
        if attempt.trial is not None:
            attempt.trial.cancel()
