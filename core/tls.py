"""The TLS of a client, as an endpoint's settings ask for it. Opens no connection."""

import ssl

from core.plain_file import plain_bytes
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
    # names of authorities may stand between the certificates, in any letters
    return plain_bytes(ca_file, MOST_BYTES).decode("ascii", "ignore")
