"""A client's TLS against certificates of all kinds, without a socket."""

import ssl

import pytest
import trustme

from core.tls import client_context


def shaken(client: ssl.SSLContext, server: ssl.SSLContext, host: str = "127.0.0.1") -> str | None:
    """Do a handshake in memory; the protocol that both chose. Raises what the client raises."""
    there, back = ssl.MemoryBIO(), ssl.MemoryBIO()
    ours = client.wrap_bio(back, there, server_hostname=host)
    theirs = server.wrap_bio(there, back, server_side=True)
    waiting = [ours, theirs]
    for _ in range(20):
        for side in tuple(waiting):
            try:
                side.do_handshake()
            except ssl.SSLWantReadError:
                continue
            waiting.remove(side)
    assert waiting == []
    return ours.selected_alpn_protocol()


@pytest.fixture(scope="module")
def authority() -> trustme.CA:
    return trustme.CA()


@pytest.fixture
def ca_file(authority, tmp_path) -> str:
    authority.cert_pem.write_to_path(str(tmp_path / "ca.pem"))
    return str(tmp_path / "ca.pem")


def serving(authority: trustme.CA, name: str = "127.0.0.1") -> ssl.SSLContext:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.set_alpn_protocols(["h2", "http/1.1"])
    authority.issue_cert(name).configure_cert(context)
    return context


def test_a_named_authority_is_trusted_and_http_1_1_is_spoken(authority, ca_file):
    assert shaken(client_context(ca_file=ca_file), serving(authority)) == "http/1.1"


def test_a_named_authority_is_trusted_instead_of_the_systems(ca_file):
    assert len(client_context(ca_file=ca_file).get_ca_certs()) == 1
    with pytest.raises(ssl.SSLCertVerificationError):
        shaken(client_context(ca_file=ca_file), serving(trustme.CA()))


def test_the_systems_authorities_do_not_know_ours(authority):
    with pytest.raises(ssl.SSLCertVerificationError):
        shaken(client_context(), serving(authority))


def test_the_name_must_be_in_the_certificate(authority, ca_file):
    with pytest.raises(ssl.SSLCertVerificationError, match="mismatch"):
        shaken(client_context(ca_file=ca_file), serving(authority, "other.example"))


@pytest.mark.parametrize("unused", [None, "", "/no/such/ca.pem", "\0"])
def test_without_verification_any_certificate_will_do_and_no_file_is_read(authority, unused):
    client = client_context(verify=False, ca_file=unused)

    assert shaken(client, serving(authority, "other.example")) == "http/1.1"


@pytest.mark.parametrize("name", ["/no/such/ca.pem", "/", __file__, "a\0b", "\ud800"])
def test_a_file_that_cannot_be_used_is_an_os_error(name):
    with pytest.raises(OSError):  # noqa: PT011 -- its words are the system's
        client_context(ca_file=name)
