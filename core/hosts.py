"""Hosts and ports as people and URLs write them, in one form that can be compared. Never resolves a name."""

import ipaddress
from urllib.parse import urlsplit

DEFAULT_PORTS = {"http": 80, "https": 443}


def address(base_url: str) -> tuple[str, int | None]:
    """Host and port of a URL, the port filled in from the scheme."""
    parts = urlsplit(base_url)
    return normal_host(parts.hostname or ""), parts.port or DEFAULT_PORTS.get(parts.scheme)


def host_text(host: str, port: int | None) -> str:
    """`host` or `host:port` as a person writes it; the web's own ports are left out."""
    shown = f"[{host}]" if ":" in host else host
    return shown if port in (None, *DEFAULT_PORTS.values()) else f"{shown}:{port}"


def is_this_machine(host: str) -> bool:
    """Whether what is sent to this host stays on this machine."""
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost" or host.endswith(".localhost")


def normal_host(host: str) -> str:
    """Lower case, no trailing dot, IDNA, the short form of an IPv6 address."""
    host = host.lower().rstrip(".")
    try:
        return ipaddress.ip_address(host).compressed
    except ValueError:
        pass
    try:
        return host.encode("idna").decode("ascii")
    except UnicodeError:
        return host
