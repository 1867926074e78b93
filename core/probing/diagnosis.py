"""A failure in words: what is wrong in one sentence, what to do next, and the state for the chip. Asks nothing."""

import os
import re
from collections.abc import Mapping
from http import HTTPStatus

from core.base_url import is_another
from core.hosts import address
from core.probing.circumstances import Circumstances, Diagnosis, Words
from core.probing.result import ProbeState
from core.probing.sign_in_words import SIGN_IN_WORDS
from core.records import Failure, FailureKind
from core.several import some
from core.wire.errors import shown_target
from core.words import say

SPENT = re.compile(
    r"insufficient[ _](quota|credit|funds|balance)|exceeded your current quota|out of credits?|credit balance",
    re.IGNORECASE,
)
LATER = re.compile(r"try again|retry", re.IGNORECASE)
LOADING = re.compile(r"loading|warming|starting|not ready|initiali[sz]ing", re.IGNORECASE)


def diagnose(failure: Failure, seen: Circumstances) -> Diagnosis:
    """The words for a failure. A sign-in problem comes before everything that looks like one of speed or address."""
    if seen.sign_in is not None:
        return SIGN_IN_WORDS[seen.sign_in](failure, seen)
    if seen.other_scheme:
        return _other_scheme(seen)
    if seen.page is not None and seen.page.redirected_to is not None:
        return _redirected(seen)
    if seen.page is not None and seen.page.looks_like_html and seen.page.status < 500:
        return _web_page(seen)
    if failure.kind is FailureKind.MALFORMED and seen.page is None and failure.status is None:
        return _no_http(seen)
    return KIND_WORDS.get(failure.kind, _other)(failure, seen)


def no_llm_server(seen: Circumstances) -> Diagnosis:
    """A 200 that is no model list."""
    if seen.page is not None and seen.page.looks_like_html:
        return _web_page(seen)
    return Diagnosis(
        state=ProbeState.WRONG_ADDRESS,
        what=say("Something else answers at {host}: {asked} is no model list.", host=seen.host, asked=seen.asked),
        next_step=_where(seen),
    )


def _refused(failure: Failure, seen: Circumstances) -> Diagnosis:
    if "refused" in failure.message:
        what = say("Nothing listens at {host}: the connection was refused.", host=seen.host)
    else:
        what = say("{host} cannot be reached: {reason}.", host=seen.host, reason=failure.message)
    step = say(
        "Start the server, or correct the address. A server on another machine or in a container must listen on "
        "0.0.0.0, not on 127.0.0.1."
    )
    return Diagnosis(state=ProbeState.UNREACHABLE, what=what, next_step=step)


def _dns(failure: Failure, seen: Circumstances) -> Diagnosis:
    host = address(seen.endpoint.base_url)[0]
    return Diagnosis(
        state=ProbeState.UNREACHABLE,
        what=say("The name {host} leads to no address: {reason}.", host=host, reason=failure.message),
        next_step=say("Check the spelling. If the name is an internal one, connect to that network or VPN first.")
        + proxy_hint(),
    )


def _connect_timeout(_failure: Failure, seen: Circumstances) -> Diagnosis:
    return Diagnosis(
        state=ProbeState.UNREACHABLE,
        what=say("{host} does not answer at all: the connection request got no reply.", host=seen.host),
        next_step=say("Check host and port, and whether a firewall or a missing VPN swallows the connection.")
        + proxy_hint(),
    )


def _tls(failure: Failure, seen: Circumstances) -> Diagnosis:
    reason = failure.message
    step = say("Name the certificate authority's file as CA file of this endpoint, or ask who runs the server.")
    if "expired" in reason:
        step = say("The certificate must be renewed on the server. For a look only, switch verification off here.")
    elif "match" in reason:
        step = say("Use the name that is in the certificate as host, or have it issued for this one.")
    elif not re.search("certificate|issuer|signed", reason):
        step = say("Check that this port is meant for https, and which TLS versions the server takes.")
    return Diagnosis(
        state=ProbeState.UNREACHABLE,
        what=say("TLS with {host} fails: {reason}.", host=seen.host, reason=reason),
        next_step=step,
    )


def _other_scheme(seen: Circumstances) -> Diagnosis:
    old, new = ("https", "http") if seen.endpoint.base_url.startswith("https") else ("http", "https")
    return Diagnosis(
        state=ProbeState.WRONG_ADDRESS,
        what=say("{host} speaks {new}, and this endpoint asks with {old}.", host=seen.host, new=new, old=old),
        next_step=say("Change the base URL to {url}.", url=new + seen.endpoint.base_url.removeprefix(old)),
    )


def _silent(failure: Failure, seen: Circumstances) -> Diagnosis:
    return Diagnosis(
        state=ProbeState.TIMED_OUT,
        what=say("{host} took the request, and then {what}.", host=seen.host, what=failure.message),
        next_step=say(
            "It may be loading the model or be busy: probe again in a minute. A measured run waits up to "
            "{seconds:.0f} s for the first byte.",
            seconds=seen.endpoint.limits.first_byte_s,
        ),
    )


def _lost(_failure: Failure, seen: Circumstances) -> Diagnosis:
    return Diagnosis(
        state=ProbeState.FAULTY,
        what=say("{host} closed the connection before its answer was complete.", host=seen.host),
        next_step=say("Look into the server's log: it, or a gateway before it, ended the connection."),
    )


def _no_http(seen: Circumstances) -> Diagnosis:
    return Diagnosis(
        state=ProbeState.WRONG_ADDRESS,
        what=say("What listens at {host} does not speak HTTP.", host=seen.host),
        next_step=say("Check the port: it belongs to another service."),
    )


def _not_found(failure: Failure, seen: Circumstances) -> Diagnosis:
    if seen.models and seen.model is not None and seen.model not in seen.models:
        return Diagnosis(
            state=ProbeState.WRONG_MODEL,
            what=say("{status}: the server has no model named {model}.", status=failure.status, model=seen.model),
            next_step=say("Choose one that it lists: {names}.", names=some(seen.models)),
        )
    if seen.model is not None and seen.model.lower() in failure.message.lower():
        return Diagnosis(
            state=ProbeState.WRONG_MODEL,
            what=say("{status}: the server does not answer for {model}.", status=failure.status, model=seen.model),
            next_step=say("It lists {names}: choose another one.", names=some(seen.models))
            if seen.models
            else say("Write the name as the server knows it; it has no model list to choose from."),
        )
    return Diagnosis(
        state=ProbeState.WRONG_ADDRESS,
        what=say("{status}: {host} has nothing at {asked}.", status=failure.status, host=seen.host, asked=seen.asked),
        next_step=_where(seen),
    )


def _limited(failure: Failure, _seen: Circumstances) -> Diagnosis:
    wait = failure.retry_after_s
    if wait is None and SPENT.search(failure.message) and not LATER.search(failure.message):
        return _spent(failure)
    return Diagnosis(
        state=ProbeState.BUSY,
        what=say("429: the server allows no more requests right now."),
        next_step=(
            say("Probe again in {wait:,.0f} s, as it asks.", wait=wait) if wait else say("Wait and probe again.")
        )
        + say(" A benchmark beyond this limit would measure the limit, not the engine."),
    )


def _spent(failure: Failure) -> Diagnosis:
    return Diagnosis(
        state=ProbeState.KEY_REFUSED,
        what=say("{status}: the account behind this key has no credit or quota left.", status=failure.status),
        next_step=say("Top it up, or name a key of another account: waiting does not help."),
    )


def _server_error(failure: Failure, seen: Circumstances) -> Diagnosis:
    status = named_status(failure.status)
    if failure.status == 503 and LOADING.search(failure.message):
        what, step = say("{status}: the server is still loading.", status=status), say("Wait and probe again.")
        return Diagnosis(state=ProbeState.BUSY, what=what, next_step=step)
    if failure.status in (502, 504):
        what = say("{status}: a gateway answers, and the server behind it does not.", status=status)
        return Diagnosis(
            state=ProbeState.FAULTY, what=what, next_step=say("Start the server behind it, or look there.")
        )
    step = say("Wait and probe again; the server's log says why.")
    if seen.models and seen.model is not None and seen.model not in seen.models:
        step = say("It does not list {model}: choose one of {names}.", model=seen.model, names=some(seen.models))
    state = ProbeState.BUSY if failure.status == 503 else ProbeState.FAULTY
    return Diagnosis(state=state, what=say("{status}: the server failed.", status=status), next_step=step)


def _other(failure: Failure, seen: Circumstances) -> Diagnosis:
    if seen.models and seen.model is not None and seen.model not in seen.models and failure.status in (400, 422):
        return _not_found(failure, seen)
    if failure.status == 402:
        return _spent(failure)
    status = named_status(failure.status)
    what = {
        FailureKind.EMPTY: say("The model answered nothing."),
        FailureKind.TRUNCATED: say("The answer broke off: neither an end mark nor a finish reason came."),
        FailureKind.MALFORMED: say("The answer cannot be read as one of an OpenAI-style API."),
        FailureKind.STREAM_ERROR: say("The server answered with an error inside its stream."),
        FailureKind.OUT_OF_MEMORY: say("The server is out of memory."),
    }.get(failure.kind, say("{status}: the server refuses the request.", status=status))
    step = {
        FailureKind.EMPTY: say("Choose a chat model; embedding models and some base models say nothing here."),
        FailureKind.OUT_OF_MEMORY: say("Give it a smaller model or a shorter context, and start it again."),
    }.get(failure.kind, say("Read its own words; the server's log has more."))
    return Diagnosis(state=ProbeState.FAULTY, what=what, next_step=step)


def _redirected(seen: Circumstances) -> Diagnosis:
    short = shown_target((seen.page and seen.page.redirected_to) or "")
    not_sent = say(" The key was not sent there.") if seen.key is not None else ""
    return Diagnosis(
        state=ProbeState.WRONG_ADDRESS,
        what=say("{host} redirects to {target}; that was not followed.", host=seen.host, target=short) + not_sent,
        next_step=say("Look into the settings of the server, or of its proxy: that is no other base URL.")
        if not is_another(short, seen.endpoint.base_url)
        else say("If you trust that address, make it the base URL. A measured run follows no redirect.")
        + (say(" The key must then name that host, too.") if seen.key is not None else ""),
    )


def _web_page(seen: Circumstances) -> Diagnosis:
    title = re.search(rb"<title[^>]*>([^<]{1,100})", seen.page.body if seen.page else b"", re.IGNORECASE)
    named = f" (“{' '.join(title[1].decode('utf-8', 'replace').split())}”)" if title else ""
    return Diagnosis(
        state=ProbeState.WRONG_ADDRESS,
        what=say("A web page answers at {host}{named}, not an LLM server.", host=seen.host, named=named),
        next_step=_where(seen),
    )


def _where(seen: Circumstances) -> str:
    if seen.better_url is not None:
        return say("A model list answers at {url}: make that the base URL.", url=seen.better_url)
    return say("Check port and path of the base URL: most servers have their API under /v1.")


def named_status(status: int | None) -> str:
    """The status with its usual name."""
    try:
        return f"{status} {HTTPStatus(status or 0).phrase}"
    except ValueError:
        return str(status)


def proxy_hint(environ: Mapping[str, str] = os.environ) -> str:
    """A sentence if the environment names a proxy, which is not used."""
    named = [name for name in ("HTTPS_PROXY", "https_proxy", "HTTP_PROXY", "http_proxy") if environ.get(name)]
    return say(" {name} is set, but Paceline connects directly.", name=named[0]) if named else ""


KIND_WORDS: dict[FailureKind, Words] = {
    FailureKind.REFUSED: _refused, FailureKind.DNS: _dns, FailureKind.CONNECT_TIMEOUT: _connect_timeout,
    FailureKind.TLS: _tls, FailureKind.FIRST_BYTE_TIMEOUT: _silent, FailureKind.IDLE_TIMEOUT: _silent,
    FailureKind.TOTAL_TIMEOUT: _silent, FailureKind.CONNECTION_LOST: _lost, FailureKind.HTTP_404: _not_found,
    FailureKind.HTTP_429: _limited, FailureKind.HTTP_5XX: _server_error,
}  # fmt: skip
