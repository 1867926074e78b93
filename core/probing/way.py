"""The first steps of a probe: the key, the name, the connection, TLS. Speaks no HTTP."""

import ssl
from urllib.parse import urlsplit

from core.hosts import address
from core.keys import KeyProblem, SessionKeys, find_key, plain_http_warning, require_allowed
from core.probing import reach
from core.probing.circumstances import Circumstances, Diagnosis
from core.probing.diagnosis import diagnose
from core.probing.report import Report
from core.probing.result import CheckName, CheckState, ProbeState
from core.quantities import seconds
from core.records import Failure, FailureKind
from core.tls import client_context
from core.words import say

SHARE = 0.3  # of the whole budget, for each step


def take_key(report: Report, session: SessionKeys | None) -> None:
    """Find the endpoint's key, or say why there is none."""
    endpoint = report.endpoint
    try:
        if report.key is None:
            report.key = find_key(endpoint, session=session)
        else:
            require_allowed(report.key, endpoint)
    except KeyProblem as problem:
        report.check(CheckName.KEY, CheckState.NO, problem.what)
        report.stop(Diagnosis(state=ProbeState.KEY_MISSING, what=problem.what, next_step=problem.next_step))
        return
    if report.key is None:
        report.check(CheckName.KEY, CheckState.NOT_TRIED, say("none named"))
        return
    warning = plain_http_warning(report.key, endpoint)
    detail = say("{name} (from {origin})", name=report.key.name, origin=report.key.origin)
    if warning is None:
        report.check(CheckName.KEY, CheckState.YES, detail)
    else:
        report.check(CheckName.KEY, CheckState.DOUBT, detail + say(", over plain http"))
        report.notes.append(warning)


def find_way(report: Report) -> ssl.SSLContext | None:
    """Resolve, connect and, for https, shake hands. The context for requests, None if there is no way."""
    try:
        context = client_context(verify=report.endpoint.verify, ca_file=report.endpoint.ca_file)
    except OSError as fault:  # first of all: it is ours to say, whatever the server does
        _bad_ca_file(report, fault)
        return None
    host = urlsplit(report.endpoint.base_url).hostname or ""
    port = address(report.endpoint.base_url)[1] or 80
    found = reach.resolve(host, port, report.seconds(SHARE))
    if isinstance(found, Failure):
        _stopped(report, CheckName.RESOLVES, found)
        return None
    report.check(CheckName.RESOLVES, CheckState.YES, _first(found))
    limit = min(report.seconds(SHARE), report.endpoint.limits.connect_s)
    connected = reach.connect(found, port, limit, report.clock)
    if isinstance(connected, Failure):
        _stopped(report, CheckName.CONNECTS, connected)
        return None
    sock, way = connected
    report.check(CheckName.CONNECTS, CheckState.YES, seconds(way.connect_s))
    if report.endpoint.base_url.startswith("https"):
        ends = reach.shake_hands(sock, context, host, limit)
        if isinstance(ends, Failure):
            doubtful = "certificate" not in ends.message  # a server without TLS has none to find fault with
            plain = doubtful and reach.first_words(way.address, port, report.seconds(SHARE)).startswith(b"HTTP/")
            _stopped(report, CheckName.TLS, ends, other_scheme=plain)
            return None
        unverified = say("works, the certificate was not verified")
        detail = unverified if ends is None else say("valid until {date}", date=f"{ends:%d %b %Y}".lstrip("0"))
        report.check(CheckName.TLS, CheckState.DOUBT if ends is None else CheckState.YES, detail)
    else:
        sock.close()
        report.check(CheckName.TLS, CheckState.NOT_TRIED, say("plain http"))
    return context


def _stopped(report: Report, name: CheckName, failure: Failure, *, other_scheme: bool = False) -> None:
    report.check(name, CheckState.NO, failure.message)
    seen = Circumstances(endpoint=report.endpoint, key=report.key, other_scheme=other_scheme)
    report.stop(diagnose(failure, seen), failure)


def _bad_ca_file(report: Report, fault: OSError) -> None:
    failure = Failure(kind=FailureKind.TLS, message=say("the CA file cannot be used ({fault})", fault=fault))
    report.check(CheckName.TLS, CheckState.NO, failure.message)
    what = say("The CA file {file} cannot be used: {fault}.", file=report.endpoint.ca_file, fault=fault)
    step = say("Name a file with certificates in PEM form that Paceline may read.")
    report.stop(Diagnosis(state=ProbeState.UNREACHABLE, what=what, next_step=step), failure)


def _first(addresses: tuple[str, ...]) -> str:
    more = len(addresses) - 1
    return addresses[0] if more == 0 else say("{first} and {more} more", first=addresses[0], more=more)
