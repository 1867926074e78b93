"""The TLS of a client, as an endpoint's settings ask for it. Opens no connection."""

import ssl


def client_context(*, verify: bool = True, ca_file: str | None = None) -> ssl.SSLContext:
    """A context for HTTP/1.1 that trusts the system's authorities, or those of `ca_file` instead.

    Without `verify` any certificate will do, and no file is read. Raises OSError, as SSLError is, for an unusable file.
    """
    if verify:
        context = _verifying(ca_file)
    else:
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
        context.check_hostname = False
        context.verify_mode = ssl.CERT_NONE
    context.set_alpn_protocols(["http/1.1"])
    return context


def _verifying(ca_file: str | None) -> ssl.SSLContext:
    try:
        return ssl.create_default_context(cafile=ca_file or None)
    except ValueError as fault:  # a name that no file can have
        raise OSError(str(fault)) from None
