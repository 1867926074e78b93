"""A client's TLS against certificates of all kinds, without a socket."""

import os
import ssl

import pytest
import trustme

from core.tls import MOST_BYTES, ca_file_problem, client_context


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


@pytest.fixture
def unusable(tmp_path):
    """Everything that may stand under a name and is no file of authorities."""
    os.mkfifo(tmp_path / "pipe")
    with (tmp_path / "huge").open("wb") as huge:
        huge.truncate(MOST_BYTES + 1)
    (tmp_path / "empty").touch()
    (tmp_path / "junk").write_bytes(os.urandom(1000))
    (tmp_path / "loop").symlink_to(tmp_path / "loop")
    return tmp_path


UNUSABLE = {
    "none": "no such file or directory",
    "pipe": "it is a pipe or a device, and no file",
    "huge": "it is larger than 8 MB",
    ".": "it is a folder",
    "/dev/zero": "it is a pipe or a device, and no file",
    "empty": "it holds no certificate in PEM form, or a damaged one",
    "junk": "it holds no certificate in PEM form, or a damaged one",
    __file__: "it holds no certificate in PEM form, or a damaged one",
    "a\0b": "no file can have this name",
    "\ud800": "no file can have this name",
    "x" * 1000: "file name too long",
    "loop": "too many levels of symbolic links",
}


@pytest.mark.parametrize("name", UNUSABLE)
def test_a_file_that_cannot_be_used_is_said_at_once_and_in_few_words(unusable, name):
    with pytest.raises(OSError, match=f"^{UNUSABLE[name]}$"):
        client_context(ca_file=f"{unusable}/{name}" if not name.startswith("/") else name)


def test_a_file_that_may_not_be_read_is_said(tmp_path, monkeypatch):
    def refuse(*_):
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(os, "open", refuse)

    sentence = ca_file_problem(verify=True, ca_file=f"{tmp_path}/ca.pem")
    assert sentence == f"The CA file {tmp_path}/ca.pem cannot be used: permission denied."


def test_a_good_file_or_none_is_no_problem(ca_file):
    assert ca_file_problem(verify=True, ca_file=ca_file) == ""
    assert ca_file_problem(verify=True, ca_file=None) == ""
    assert ca_file_problem(verify=False, ca_file="/no/such/ca.pem") == ""


def test_a_file_with_names_in_any_letters_and_several_authorities_is_read(authority, tmp_path):
    second = trustme.CA()
    parts = [
        "# Autorité de Genève\n".encode(),
        authority.cert_pem.bytes(),
        "# 信頼\n".encode(),
        second.cert_pem.bytes(),
    ]
    (tmp_path / "two.pem").write_bytes(b"".join(parts))

    for one in (authority, second):
        assert shaken(client_context(ca_file=str(tmp_path / "two.pem")), serving(one)) == "http/1.1"
