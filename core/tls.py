"""The TLS of a client, as an endpoint's settings ask for it. Opens no connection."""

import os
import ssl
import stat

from core.words import say

MOST_BYTES = 8_000_000  # the authorities of a whole system fit into a twentieth of it


def client_context(*, verify: bool = True, ca_file: str | None = None) -> ssl.SSLContext:
    """A context for HTTP/1.1 that trusts the system's authorities, or those of `ca_file` instead.

    Without `verify` any certificate will do, and no file is read. Raises OSError, whose text is the end of a sentence,
    for an unusable file, at once whatever stands under that name.
    """
    if verify:
        context = _verifying(ca_file)
    else:
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
        context.check_hostname = False
        context.verify_mode = ssl.CERT_NONE
    context.set_alpn_protocols(["http/1.1"])
    return context


def ca_file_problem(*, verify: bool, ca_file: str | None) -> str:
    """Why the file of authorities cannot be used, one sentence; "" if it can, or if none is read."""
    try:
        client_context(verify=verify, ca_file=ca_file)
    except OSError as fault:
        return say("The CA file {file} cannot be used: {fault}.", file=ca_file, fault=fault)
    return ""


def _verifying(ca_file: str | None) -> ssl.SSLContext:
    if not ca_file:
        return ssl.create_default_context()
    text = _text(ca_file)
    try:
        # An empty text would mean the system's authorities.
        return ssl.create_default_context(cadata=text.strip() or "nothing")
    except (ssl.SSLError, ValueError):
        raise OSError(say("it holds no certificate in PEM form, or a damaged one")) from None


def _text(ca_file: str) -> str:
    """What stands in the file. A pipe would keep a reader waiting, and a device might never end."""
    try:
        descriptor = os.open(ca_file, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    except ValueError:
        raise OSError(say("no file can have this name")) from None
    except OSError as fault:
        raise OSError(_lowered(fault.strerror or str(fault))) from None
    try:
        kind = os.fstat(descriptor).st_mode
        if stat.S_ISDIR(kind):
            raise OSError(say("it is a folder"))
        if not stat.S_ISREG(kind):
            raise OSError(say("it is a pipe or a device, and no file"))
        with open(descriptor, "rb", closefd=False) as file:
            data = file.read(MOST_BYTES + 1)
    finally:
        os.close(descriptor)
    if len(data) > MOST_BYTES:
        raise OSError(say("it is larger than {most} MB", most=MOST_BYTES // 1_000_000))
    return data.decode("ascii", "ignore")  # names of authorities may stand between the certificates, in any letters


def _lowered(text: str) -> str:
    return text[:1].lower() + text[1:]
