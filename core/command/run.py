"""`cli.py run`: plans from options or a file, measured level by level. Imports only what measuring needs."""

import argparse

from core.command.arguments import experiment
from core.command.running import measure_and_report
from core.keys import header_for, key_from_environment
from core.plan import Endpoint, PlanError
from core.words import say


def run(options: argparse.Namespace) -> int:
    """Measure what was asked for; the exit status."""
    if options.plan is not None and options.api_key_env is not None:
        raise PlanError(
            say("--api-key-env goes with --base-url: a plan file's keys come from secrets.toml, for the hosts in it.")
        )
    wanted = experiment(options)
    keys = {
        plan.configuration.id: _key_header(plan.configuration.endpoint, options.api_key_env) for plan in wanted.plans
    }
    environ = {"PACELINE_PRIORITY": "normal"} if options.priority == "normal" else None
    texts = any(plan.workload.keep_text for plan in wanted.plans)
    return measure_and_report(
        wanted, options.out, texts=texts, key_headers=keys, environ=environ, preflight=not options.no_preflight
    )


def _key_header(endpoint: Endpoint, variable: str | None) -> tuple[str, str] | None:
    """A variable named by the user may go to the address named beside it.

    A key named in a plan file only may go where secrets.toml allows it: the file may be somebody else's.
    """
    if variable is not None:
        return key_from_environment(variable, endpoint.base_url).header()
    return header_for(endpoint)
