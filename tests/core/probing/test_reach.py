"""The way to a server: names, connections, TLS, and what is said when a step fails."""

import os
import ssl

import pytest
import trustme

from core.plan import Limits
from core.probe import CheckName, CheckState, ProbeState, probe
from core.records import FailureKind
from tests.core.answering_server import AnsweringServer, chat, free_port, models
from tests.core.probing.asking import CHAT, MODELS, endpoint


def authority() -> tuple[trustme.CA, ssl.SSLContext]:
    ca = trustme.CA()
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    ca.issue_cert("127.0.0.1").configure_cert(context)
    return ca, context


def test_tls_is_checked_against_the_named_authority(tmp_path):
    ca, context = authority()
    ca.cert_pem.write_to_path(str(tmp_path / "ca.pem"))
    with AnsweringServer({MODELS: models("m"), CHAT: chat()}, tls=context) as server:
        trusted = probe(endpoint(server, ca_file=str(tmp_path / "ca.pem")))
        unknown = probe(endpoint(server))
        blind = probe(endpoint(server, verify=False))

    assert trusted.state is ProbeState.READY
    assert trusted.check(CheckName.TLS).detail.startswith("valid until ")
    assert unknown.state is ProbeState.UNREACHABLE
    assert unknown.problem is not None
    assert unknown.problem.kind is FailureKind.TLS
    assert "TLS with 127.0.0.1:" in unknown.what
    assert "certificate authority's file" in unknown.next_step
    assert blind.state is ProbeState.READY
    assert blind.check(CheckName.TLS).state is CheckState.DOUBT


def test_a_certificate_for_another_name_is_told(tmp_path):
    ca = trustme.CA()
    ca.cert_pem.write_to_path(str(tmp_path / "ca.pem"))
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    ca.issue_cert("other.example").configure_cert(context)
    with AnsweringServer({}, tls=context) as server:
        result = probe(endpoint(server, ca_file=str(tmp_path / "ca.pem")))

    assert "mismatch" in result.what
    assert "name that is in the certificate" in result.next_step


@pytest.mark.parametrize(
    ("name", "reason"), [("none.pem", "no such file or directory"), ("pipe", "it is a pipe or a device, and no file")]
)
def test_a_ca_file_that_cannot_be_used_is_told_before_anybody_is_asked(tmp_path, name, reason):
    os.mkfifo(tmp_path / "pipe")

    result = probe(endpoint("https://no.such.host.invalid/v1", ca_file=str(tmp_path / name)))

    assert result.what == f"The CA file {tmp_path / name} cannot be used: {reason}."
    assert "PEM form" in result.next_step
    assert result.check(CheckName.RESOLVES).state is CheckState.NOT_TRIED


def test_http_and_https_mixed_up_are_told_both_ways():
    _, context = authority()
    with AnsweringServer({MODELS: models("m")}) as plain, AnsweringServer({}, tls=context) as secure:
        to_plain = probe(endpoint(plain.base_url.replace("http:", "https:")))
        to_secure = probe(endpoint(secure.base_url.replace("https:", "http:")))

        assert to_plain.next_step == f"Change the base URL to {plain.base_url}."
        assert to_secure.next_step == f"Change the base URL to {secure.base_url}."


def test_a_refused_connection_is_told_with_what_to_do():
    result = probe(endpoint(f"http://127.0.0.1:{free_port()}"))

    assert result.state is ProbeState.UNREACHABLE
    assert "Nothing listens at 127.0.0.1:" in result.what
    assert "Start the server" in result.next_step
    assert result.problem is not None
    assert result.problem.kind is FailureKind.REFUSED
    assert result.check(CheckName.CONNECTS).state is CheckState.NO
    assert result.check(CheckName.MODELS).state is CheckState.NOT_TRIED


def test_a_name_that_does_not_resolve_is_told():
    result = probe(endpoint("http://no-such-host.invalid/v1"), budget_s=5.0)

    assert result.problem is not None
    assert result.problem.kind is FailureKind.DNS
    assert "no-such-host.invalid" in result.what
    assert "spelling" in result.next_step


def test_the_connect_limit_of_the_endpoint_holds():
    target = endpoint("http://192.0.2.1:9/v1", limits=Limits(connect_s=0.1))  # an address that nobody has

    result = probe(target, budget_s=2.0)

    assert result.state is ProbeState.UNREACHABLE
    assert result.duration_s < 2
