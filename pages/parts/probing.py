"""Probes in the background, and what the last one of an endpoint found. Draws nothing."""

from collections.abc import Callable
from dataclasses import replace

from core.background import Job, Progress
from core.endpoint import SIMULATED
from core.keys import SessionKeys
from core.plan import Endpoint
from core.probe import ProbeResult, probe
from core.servers.demo import DemoError
from core.servers.variants import QUANTIZATIONS
from pages.parts import state
from storage.problems import StorageProblem


def start(endpoint: Endpoint) -> None:
    """Probe an endpoint unless that is being done; the page need not wait."""
    services, keys = state.services(), state.session_keys()
    work = _built_in(endpoint) if endpoint.demo else _users(endpoint, keys)
    services.background.start(job_name(endpoint), work, expected=(DemoError, StorageProblem))


def is_running(endpoint: Endpoint) -> bool:
    """Whether a probe of it is under way."""
    return under_way(endpoint) is not None


def fault(endpoint: Endpoint) -> str:
    """Why its last probe could not be made at all, "" if it could."""
    job = state.services().background.find(job_name(endpoint))
    return job.message if job is not None else ""


def under_way(endpoint: Endpoint) -> Job | None:
    """Its probe, how far that is and since when; None if none goes on."""
    job = state.services().background.find(job_name(endpoint))
    return job if job is not None and job.running else None


def job_name(endpoint: Endpoint) -> str:
    """The name of its background job."""
    return f"probe {endpoint.name}"


def last(endpoint: Endpoint) -> ProbeResult | None:
    """What its last probe found, None if there is none that can be read."""
    library = state.services().library
    if endpoint.demo:
        values = library.setting(_setting(endpoint))
    else:
        kept = library.probe(endpoint.name)
        values = kept.values if kept else None
    try:
        return ProbeResult.from_dict(values) if values else None
    except ValueError:  # written by another version: as if never probed
        return None


def _users(endpoint: Endpoint, keys: SessionKeys) -> Callable[[Progress], ProbeResult]:
    library = state.services().library

    def work(_: Progress) -> ProbeResult:
        found = probe(endpoint, session=keys)
        library.save_probe(endpoint.name, found.to_dict())
        return found

    return work


def _built_in(endpoint: Endpoint) -> Callable[[Progress], ProbeResult]:
    services = state.services()
    name = SIMULATED if endpoint.demo == SIMULATED else QUANTIZATIONS[0]

    def work(progress: Progress) -> ProbeResult:
        with services.demo.running(name, progress=progress) as server:
            found = probe(replace(endpoint, base_url=server.base_url))
        services.library.set_setting(_setting(endpoint), found.to_dict())
        return found

    return work


def _setting(endpoint: Endpoint) -> str:
    return f"probe {endpoint.demo}"
