"""`cli.py run`: plans from options or a file, measured level by level. Imports only what measuring needs."""

import argparse

from core.command.arguments import plans
from core.command.running import measure, report
from core.keys import key_from_environment


def run(options: argparse.Namespace) -> int:
    """Measure what was asked for; the exit status."""
    wanted = plans(options)
    endpoint = wanted[0].configuration.endpoint
    name = options.api_key_env or endpoint.key_name
    key_header = key_from_environment(name, endpoint.base_url).header() if name else None
    environ = {"PACELINE_PRIORITY": "normal"} if options.priority == "normal" else None
    runs = measure(wanted, key_header=key_header, environ=environ, preflight=not options.no_preflight)
    return report(runs, options.out, texts=wanted[0].workload.keep_text)
