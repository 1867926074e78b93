"""API keys: where they are configured and to which hosts they may go. Never stores, shows or sends a value itself.

A key comes from `[api_keys.NAME]` in `.streamlit/secrets.toml` with `value` or `env` and with `hosts`, from the
command line, or is typed into a page and lives in that session only. Every way out checks the endpoint's host first.
"""

import os
import re
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import NoReturn, Self

from core.hosts import address, host_text, is_this_machine, normal_host
from core.key_file import HostEntry, KeyProblem, file_text, key_hosts, key_tables, secrets_file
from core.plan import Endpoint
from core.words import say

__all__ = [
    "Key",
    "KeyProblem",
    "SessionKeys",
    "allowed",
    "find_key",
    "header_for",
    "key_from_environment",
    "key_names",
    "plain_http_warning",
    "require_allowed",
]
TYPED_NAME = "you typed"  # so that "the key {name}" reads well
REDACTED = "[the key]"
SHORTEST = 4  # a shorter value is a placeholder: hiding it would cut words to pieces
LONG = 12  # from here on a value is no word, and is hidden inside longer ones too


class Key:
    """A key with the hosts it may be sent to. Its value leaves through `reveal` only: no repr, copy or pickle has it.

    Attributes:
        name: As configured, for people.
        origin: Where the value was found, for people.
        hosts: (host, port) pairs; a port of None allows every port of that host.
        renewal: How to put another value in its place, as a sentence.
    """

    __slots__ = ("_reveal", "hosts", "name", "origin", "renewal")

    def __init__(self, *, name: str, value: str, origin: str, hosts: tuple[HostEntry, ...], renewal: str = "") -> None:
        _require_sendable(name, value)
        self.name = name
        self.origin = origin
        self.hosts = hosts
        self.renewal = renewal
        self._reveal: Callable[[], str] = lambda: value

    def reveal(self) -> str:
        """The value itself, for the header of one request."""
        return self._reveal()

    def header(self) -> tuple[str, str]:
        """The HTTP header that carries the key."""
        return "Authorization", "Bearer " + self._reveal()

    def hide(self, text: str) -> str:
        """The text without the value, which servers say back. A value that may be a word goes where it stands alone."""
        value = self._reveal()
        if len(value) >= LONG:
            return text.replace(value, REDACTED)
        if len(value) < SHORTEST:
            return text
        return re.sub(rf"(?<![\w/@.-]){re.escape(value)}(?![\w/@-]|[.:]\w)", REDACTED, text)

    def hide_in(self, data: bytes) -> bytes:
        """The same bytes without the value; one that may be a word stays, for it may be a name inside the JSON."""
        value = self._reveal()
        return data.replace(value.encode(), REDACTED.encode()) if len(value) >= LONG else data

    def __repr__(self) -> str:
        return f"Key(name={self.name!r}, origin={self.origin!r}, hosts={self.hosts!r})"

    def __deepcopy__(self, _memo: object) -> Self:
        """Keep `dataclasses.asdict` from needing a copy of the value."""
        return self

    def __reduce__(self) -> NoReturn:
        raise TypeError("A key cannot be pickled: pass its name and look it up again.")


class SessionKeys:
    """Keys typed into a page: one per endpoint name, each for its endpoint's host and port only, in memory only."""

    __slots__ = ("_keys",)

    def __init__(self) -> None:
        self._keys: dict[str, Key] = {}

    def keep(self, endpoint: Endpoint, value: str) -> Key:
        """Remember a typed key for this endpoint's address. Raises KeyProblem if it cannot be sent."""
        key = Key(
            name=say(TYPED_NAME),
            value=value.strip(),
            origin=say("this session"),
            hosts=(address(endpoint.base_url),),
            renewal=say("Type another key, or name one that is configured."),
        )
        self._keys[endpoint.name] = key
        return key

    def find(self, endpoint: Endpoint) -> Key | None:
        """The key typed for this endpoint, unless its address was changed since."""
        key = self._keys.get(endpoint.name)
        return key if key is not None and allowed(key, *address(endpoint.base_url)) else None

    def forget(self, endpoint: Endpoint) -> None:
        """Drop the key typed for this endpoint."""
        self._keys.pop(endpoint.name, None)

    def __repr__(self) -> str:
        return f"SessionKeys(endpoints={sorted(self._keys)!r})"

    def __deepcopy__(self, _memo: object) -> Self:
        return self

    def __reduce__(self) -> NoReturn:
        raise TypeError("Session keys cannot be pickled: they live in their session only.")


def find_key(
    endpoint: Endpoint,
    *,
    session: SessionKeys | None = None,
    secrets: Path | None = None,
    environ: Mapping[str, str] | None = None,
) -> Key | None:
    """The key for this endpoint, None if it names none. Raises KeyProblem, also if the key may not go to its host."""
    typed = session.find(endpoint) if session is not None else None
    if typed is not None:
        return typed
    if endpoint.key_name is None:
        return None
    environ = os.environ if environ is None else environ
    key = _configured_key(endpoint.key_name, endpoint, secrets or secrets_file(environ), environ)
    require_allowed(key, endpoint)
    return key


def require_allowed(key: Key, endpoint: Endpoint) -> None:
    """Raises KeyProblem, with both hosts in it, if the key may not go where the endpoint is."""
    host, port = address(endpoint.base_url)
    if not allowed(key, host, port):
        raise KeyProblem(
            say(
                "The key {name} is for {hosts} only, and this endpoint is at {host}: it was not sent.",
                name=key.name,
                hosts=hosts_text(key),
                host=host_text(host, port),
            ),
            say(
                'Correct the base URL, or add "{host}" to hosts of [api_keys.{name}] in secrets.toml.',
                host=host_text(host, port),
                name=key.name,
            ),
        )


def header_for(
    endpoint: Endpoint,
    *,
    session: SessionKeys | None = None,
    secrets: Path | None = None,
    environ: Mapping[str, str] | None = None,
) -> tuple[str, str] | None:
    """The header that carries this endpoint's key, None if it names none. Raises KeyProblem."""
    key = find_key(endpoint, session=session, secrets=secrets, environ=environ)
    return None if key is None else key.header()


def key_from_environment(name: str, base_url: str, environ: Mapping[str, str] | None = None) -> Key:
    """A key named on the command line: it may go to exactly this base URL's host and port. Raises KeyProblem."""
    value = (os.environ if environ is None else environ).get(name)
    if not value:
        raise _not_set(name, name)
    hosts, renewal = (address(base_url),), _set_again(name)
    return Key(name=name, value=value, origin=_environment(name), hosts=hosts, renewal=renewal)


def key_names(secrets: Path | None = None, environ: Mapping[str, str] | None = None) -> tuple[str, ...]:
    """The names under [api_keys], sorted. Raises KeyProblem if the file is there and cannot be read."""
    environ = os.environ if environ is None else environ
    return tuple(sorted(key_tables(secrets or secrets_file(environ))))


def allowed(key: Key, host: str, port: int | None) -> bool:
    """Whether the key may be sent to this host and port."""
    host = normal_host(host)
    return any(host == known and wanted in (None, port) for known, wanted in key.hosts)


def hosts_text(key: Key) -> str:
    """The hosts of a key in a sentence."""
    return ", ".join(host_text(*entry) for entry in key.hosts)


def plain_http_warning(key: Key | None, endpoint: Endpoint) -> str | None:
    """A sentence if the key leaves this machine unencrypted, None otherwise."""
    host, port = address(endpoint.base_url)
    if key is None or endpoint.base_url.startswith("https://") or is_this_machine(host):
        return None
    return say(
        "The key {name} goes to {host} over plain http: anyone on the way can read it. Use https if the server has it.",
        name=key.name,
        host=host_text(host, port),
    )


def _configured_key(name: str, endpoint: Endpoint, file: Path, environ: Mapping[str, str]) -> Key:
    table = key_tables(file).get(name)
    host = host_text(*address(endpoint.base_url))
    if table is None:
        hint = say(" An environment variable of that name is set, but not to which hosts it may go.")
        source = f'env = "{name}"' if name in environ else 'value = "..."'
        raise KeyProblem(
            say("There is no key named {name} in {file}.", name=name, file=file_text(file))
            + (hint if name in environ else ""),
            say(
                'Add [api_keys.{name}] with {source} and hosts = ["{host}"] to that file, or choose another key.',
                name=name,
                source=source,
                host=host,
            ),
        )
    if not isinstance(table, dict):
        raise KeyProblem(
            say("The key {name} stands in {file} without its hosts.", name=name, file=file_text(file)),
            say('Write it as [api_keys.{name}] with value = "..." and hosts = ["{host}"].', name=name, host=host),
        )
    hosts = key_hosts(name, table, host)
    value, variable = table.get("value"), table.get("env")
    if isinstance(variable, str) and variable and value is None:
        if not environ.get(variable):
            raise _not_set(name, variable)
        origin, renewal = _environment(variable), _set_again(variable)
        return Key(name=name, value=environ[variable], origin=origin, hosts=hosts, renewal=renewal)
    if isinstance(value, str) and variable is None:
        renewal = say("Correct [api_keys.{name}] in {file}, or name another key.", name=name, file=file_text(file))
        return Key(name=name, value=value, origin=file_text(file), hosts=hosts, renewal=renewal)
    raise KeyProblem(
        say("[api_keys.{name}] in {file} needs either value or env, as text.", name=name, file=file_text(file)),
        say('Write env = "VARIABLE" to take it from the environment, or value = "..."; not both.'),
    )


def _require_sendable(name: str, value: str) -> None:
    if not value:
        fault = say("is empty")
    elif any(character in "\r\n" for character in value):
        fault = say("has a line break in its value")
    elif not all("!" <= character <= "~" for character in value):
        fault = say("has a blank or a character that no HTTP header can carry in its value")
    else:
        return
    raise KeyProblem(
        say("The key {name} {fault}: it was not sent.", name=name, fault=fault),
        say("Copy the key again, without quotes and line breaks, into where it is kept."),
    )


def _not_set(name: str, variable: str) -> KeyProblem:
    return KeyProblem(
        say(
            "The key {name} is kept in the environment variable {variable}, which is not set.",
            name=name,
            variable=variable,
        ),
        _set_again(variable),
    )


def _set_again(variable: str) -> str:
    return say("Set {variable} where Paceline was started and start it again, or name another key.", variable=variable)


def _environment(variable: str) -> str:
    return say("the environment variable {variable}", variable=variable)
