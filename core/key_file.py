"""The file that keys are configured in: `[api_keys.NAME]` of `.streamlit/secrets.toml`. Never makes a key of it."""

import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from core.hosts import normal_host
from core.plain_file import plain_bytes
from core.words import say

ROOT = Path(__file__).parents[1]
MOST_BYTES = 1_000_000
HostEntry = tuple[str, int | None]


class KeyProblem(Exception):  # noqa: N818 -- a noun for the situation, like every exception here
    """Why a key cannot be used: what is wrong, and what to do. Holds names only, never a value."""

    def __init__(self, what: str, next_step: str) -> None:
        super().__init__(what, next_step)
        self.what = what
        self.next_step = next_step

    def __str__(self) -> str:
        return f"{self.what} {self.next_step}"


def secrets_file(environ: Mapping[str, str]) -> Path:
    """The file that holds the keys: PACELINE_SECRETS, or .streamlit/secrets.toml of the project."""
    named = environ.get("PACELINE_SECRETS")
    return Path(named).expanduser() if named else ROOT / ".streamlit" / "secrets.toml"


def key_tables(file: Path) -> dict[str, Any]:
    """What stands under [api_keys], by name, tables if it is right; none if there is no file. Raises KeyProblem."""
    fault = None
    found: dict[str, Any] = {}
    try:
        found = tomllib.loads(plain_bytes(file, MOST_BYTES).decode("utf-8-sig"))
    except FileNotFoundError:
        return {}
    except OSError as error:
        fault = str(error)
    except UnicodeDecodeError:
        fault = say("it is not UTF-8 text")
    except tomllib.TOMLDecodeError as error:
        fault = str(error)
    if fault is not None:  # raised out here, so that no chained exception carries the file's text
        raise KeyProblem(
            say("The keys in {file} cannot be read: {fault}.", file=file_text(file), fault=fault.rstrip(".")),
            say("Correct the file; the keys in it are not used until then."),
        )
    keys = found.get("api_keys", {})
    return keys if isinstance(keys, dict) else {}


def example(host: str, name: str = "NAME") -> str:
    """The lines that put a key for this host into the file, for people to copy."""
    return f'[api_keys.{name}]\nvalue = "..."  # or env = "VARIABLE"\nhosts = ["{host}"]'


def key_hosts(name: str, table: dict[str, Any], host: str) -> tuple[HostEntry, ...]:
    """The hosts that a key may be sent to; `host` is the one it is wanted for. Raises KeyProblem."""
    written = table.get("hosts")
    entries = [written] if isinstance(written, str) else written
    if not isinstance(entries, list) or not entries:
        raise KeyProblem(
            say("[api_keys.{name}] does not say to which hosts the key may be sent.", name=name),
            say('Add hosts = ["{host}"] to it: the key is sent to those only.', host=host),
        )
    return tuple(_entry(name, entry) for entry in entries)


def _entry(name: str, entry: object) -> HostEntry:
    text = entry.strip() if isinstance(entry, str) else ""
    bare_ipv6 = text.count(":") > 1 and not text.startswith("[")
    try:
        parts = urlsplit(f"//[{text}]" if bare_ipv6 else f"//{text}")
        host, port = parts.hostname or "", parts.port
    except ValueError:
        host, port = "", None
    if not host or "/" in text or "*" in text or "@" in text:
        raise KeyProblem(
            say("hosts of [api_keys.{name}] has an entry that is no host: {entry!r}.", name=name, entry=entry),
            say('Write "host" or "host:port", such as "llm.example.com" or "127.0.0.1:8000".'),
        )
    return normal_host(host), port


def file_text(file: Path) -> str:
    """The file as a person knows it: from the project's root, else its name."""
    try:
        return str(file.relative_to(ROOT))
    except ValueError:
        return file.name
