"""Keys: who may get one, and that no way of looking at one shows its value."""

import copy
import dataclasses
import os
import pickle  # noqa: TID251 -- to show that a key refuses it
import traceback
from pathlib import Path

import pytest

from core import keys
from core.key_file import example
from core.keys import Key, KeyProblem, SessionKeys, allowed, find_key, header_for, key_from_environment, key_names
from core.plan import Endpoint

VALUE = "sk-very-secret-4711"


def endpoint(base_url: str = "https://llm.example.com/v1", key_name: str | None = "LAB") -> Endpoint:
    return Endpoint(name="lab", base_url=base_url, key_name=key_name)


def secrets(tmp_path: Path, text: str) -> Path:
    file = tmp_path / "secrets.toml"
    file.write_text(text, encoding="utf-8")
    return file


@pytest.fixture
def lab(tmp_path: Path) -> Path:
    return secrets(tmp_path, f'[api_keys.LAB]\nvalue = "{VALUE}"\nhosts = ["llm.example.com", "10.0.0.5:8000"]\n')


def problem_of(file: Path, **kwargs) -> KeyProblem:
    with pytest.raises(KeyProblem) as caught:
        header_for(kwargs.pop("endpoint", endpoint()), secrets=file, environ=kwargs.pop("environ", {}))
    everything = "".join(traceback.format_exception(caught.value)) + repr(caught.value) + str(caught.value)
    assert VALUE not in everything
    return caught.value


def test_a_key_from_the_file_becomes_a_bearer_header(lab):
    assert header_for(endpoint(), secrets=lab, environ={}) == ("Authorization", f"Bearer {VALUE}")


def test_an_endpoint_without_a_key_name_gets_no_header(lab):
    assert header_for(endpoint(key_name=None), secrets=lab, environ={}) is None


def test_a_key_from_the_environment_says_where_it_came_from(tmp_path):
    file = secrets(tmp_path, '[api_keys.LAB]\nenv = "LAB_TOKEN"\nhosts = ["llm.example.com"]\n')

    key = find_key(endpoint(), secrets=file, environ={"LAB_TOKEN": VALUE})

    assert key is not None
    assert key.reveal() == VALUE
    assert key.origin == "the environment variable LAB_TOKEN"


def test_an_environment_variable_alone_is_no_key(lab):
    problem = problem_of(lab, endpoint=endpoint(key_name="HOME_KEY"), environ={"HOME_KEY": VALUE})

    assert "no key named HOME_KEY" in problem.what
    assert 'env = "HOME_KEY" and hosts = ["llm.example.com"]' in problem.next_step


def test_an_unset_variable_is_named(tmp_path):
    file = secrets(tmp_path, '[api_keys.LAB]\nenv = "LAB_TOKEN"\nhosts = ["llm.example.com"]\n')

    problem = problem_of(file)

    assert "LAB_TOKEN, which is not set" in problem.what
    assert "Set LAB_TOKEN where Paceline was started" in problem.next_step


@pytest.mark.parametrize(
    "base_url",
    [
        "https://evil.example.net/v1",
        "https://llm.example.com.evil.net/v1",
        "https://xllm.example.com/v1",
        "http://10.0.0.5:8001/v1",
        "http://10.0.0.5/v1",
        "https://example.com/v1",
    ],
)
def test_a_key_goes_to_its_hosts_only_and_the_sentence_names_both(lab, base_url):
    problem = problem_of(lab, endpoint=endpoint(base_url))

    assert "llm.example.com, 10.0.0.5:8000" in problem.what
    assert base_url.split("/")[2] in problem.what


@pytest.mark.parametrize(
    "base_url", ["http://LLM.example.com:9000/v1", "https://llm.example.com./v1", "http://10.0.0.5:8000/openai/v1"]
)
def test_the_case_the_final_dot_and_the_path_do_not_matter(lab, base_url):
    assert header_for(endpoint(base_url), secrets=lab, environ={}) is not None


def test_hosts_can_be_ipv6_and_international(tmp_path):
    file = secrets(tmp_path, f'[api_keys.LAB]\nvalue="{VALUE}"\nhosts=["::1", "[fe80::1]:8000", "bücher.example"]\n')

    for base_url in ("http://[0:0:0:0:0:0:0:1]:9/v1", "http://[fe80::1]:8000/v1", "https://bücher.example/v1"):
        assert header_for(endpoint(base_url), secrets=file, environ={}) is not None
    problem_of(file, endpoint=endpoint("http://[fe80::1]:8001/v1"))


@pytest.mark.parametrize(
    ("table", "said"),
    [
        (f'value = "{VALUE}"', "does not say to which hosts"),
        (f'value = "{VALUE}"\nhosts = []', "does not say to which hosts"),
        (f'value = "{VALUE}"\nhosts = ["https://llm.example.com"]', "an entry that is no host"),
        (f'value = "{VALUE}"\nhosts = ["*.example.com"]', "an entry that is no host"),
        (f'value = "{VALUE}"\nhosts = ["llm.example.com:port"]', "an entry that is no host"),
        (f'value = "{VALUE}"\nhosts = [7]', "an entry that is no host"),
        ('hosts = ["llm.example.com"]', "needs either value or env"),
        (f'value = "{VALUE}"\nenv = "X"\nhosts = ["llm.example.com"]', "needs either value or env"),
        ('value = 7\nhosts = ["llm.example.com"]', "needs either value or env"),
        (f'value = """{VALUE}\n"""\nhosts = ["llm.example.com"]', "line break"),
        (f'value = "{VALUE}é"\nhosts = ["llm.example.com"]', "no HTTP header can carry"),
        (f'value = "{VALUE} x"\nhosts = ["llm.example.com"]', "a blank"),
        ('value = ""\nhosts = ["llm.example.com"]', "is empty"),
    ],
)
def test_a_table_that_cannot_be_used_is_a_sentence_without_the_value(tmp_path, table, said):
    assert said in problem_of(secrets(tmp_path, f"[api_keys.LAB]\n{table}\n")).what


def test_a_key_without_hosts_is_told_the_one_that_it_is_wanted_for(tmp_path):
    problem = problem_of(secrets(tmp_path, f'[api_keys.LAB]\nvalue = "{VALUE}"\n'))

    assert 'Add hosts = ["llm.example.com"]' in problem.next_step


def test_the_example_is_a_table_that_can_be_used(tmp_path):
    text = example("llm.example.com", "LAB").replace("...", VALUE)

    assert header_for(endpoint(), secrets=secrets(tmp_path, text), environ={}) == ("Authorization", f"Bearer {VALUE}")


def test_a_bare_value_without_hosts_is_told_how_to_be_written(tmp_path):
    problem = problem_of(secrets(tmp_path, f'[api_keys]\nLAB = "{VALUE}"\n'))

    assert "without its hosts" in problem.what
    assert "[api_keys.LAB]" in problem.next_step


@pytest.mark.parametrize("text", [f'[api_keys.LAB\nvalue = "{VALUE}"', f'[api_keys.LAB]\nvalue = "{VALUE}\n'])
def test_invalid_toml_is_a_sentence_without_the_text(tmp_path, text):
    assert "line" in problem_of(secrets(tmp_path, text)).what


def test_a_file_that_cannot_be_read_is_a_sentence(tmp_path):
    (tmp_path / "latin.toml").write_bytes(b'[api_keys.LAB]\nvalue = "\xe9' + VALUE.encode() + b'"\n')

    assert "not UTF-8" in problem_of(tmp_path / "latin.toml").what
    assert "cannot be read" in problem_of(tmp_path).what
    assert "no key named LAB" in problem_of(tmp_path / "missing.toml").what


@pytest.mark.parametrize(("name", "reason"), [("pipe", "it is a pipe or a device"), (".", "it is a folder")])
def test_what_is_no_file_is_a_sentence_at_once(tmp_path, name, reason):
    os.mkfifo(tmp_path / "pipe")

    assert f"cannot be read: {reason}" in problem_of(tmp_path / name).what


def test_a_file_that_an_editor_marked_as_utf_8_is_read(tmp_path):
    text = f'\ufeff[api_keys.LAB]\nvalue = "{VALUE}"\nhosts = ["llm.example.com"]\n'

    assert key_names(secrets(tmp_path, text)) == ("LAB",)


def test_the_file_is_the_projects_own_or_the_one_named(monkeypatch, lab):
    monkeypatch.setenv("PACELINE_SECRETS", str(lab))

    assert header_for(endpoint()) == ("Authorization", f"Bearer {VALUE}")
    assert key_names() == ("LAB",)
    assert keys.secrets_file({}).parts[-2:] == (".streamlit", "secrets.toml")
    assert keys.secrets_file({}).parents[1] == Path(keys.__file__).parents[1]


def test_no_way_of_looking_at_a_key_shows_its_value(lab):
    key = find_key(endpoint(), secrets=lab, environ={})
    assert key is not None

    @dataclasses.dataclass
    class Holder:
        key: Key

    shown = [repr(key), str(key), f"{key}", repr([key]), str(dataclasses.asdict(Holder(key=key))), repr(dir(key))]

    assert not any(VALUE in text for text in shown)
    assert copy.deepcopy(key) is key
    assert not hasattr(key, "__dict__")
    for protocol in range(pickle.HIGHEST_PROTOCOL + 1):
        with pytest.raises(TypeError, match="cannot be pickled"):
            pickle.dumps(key, protocol)


def test_a_typed_key_is_for_its_endpoints_address_only():
    session = SessionKeys()
    session.keep(endpoint(key_name=None), f" {VALUE}\n")

    assert header_for(endpoint(key_name=None), session=session, environ={}) == ("Authorization", f"Bearer {VALUE}")
    assert header_for(endpoint("https://evil.example/v1", None), session=session, environ={}) is None
    assert header_for(endpoint("https://llm.example.com:444/v1", None), session=session, environ={}) is None
    assert VALUE not in repr(session)
    with pytest.raises(TypeError, match="cannot be pickled"):
        pickle.dumps(session)
    session.forget(endpoint(key_name=None))
    assert header_for(endpoint(key_name=None), session=session, environ={}) is None


def test_a_typed_key_comes_before_the_named_one(lab):
    session = SessionKeys()
    session.keep(endpoint(), "typed")

    assert header_for(endpoint(), session=session, secrets=lab, environ={}) == ("Authorization", "Bearer typed")


def test_a_key_from_the_command_line_is_for_exactly_that_address():
    key = key_from_environment("ANY_NAME", "http://10.0.0.7:8000/v1", {"ANY_NAME": VALUE})

    assert allowed(key, "10.0.0.7", 8000)
    assert not allowed(key, "10.0.0.7", 8001)
    assert not allowed(key, "10.0.0.8", 8000)
    with pytest.raises(KeyProblem, match="not set"):
        key_from_environment("ANY_NAME", "http://10.0.0.7:8000/v1", {})


@pytest.mark.parametrize(
    ("base_url", "warned"),
    [
        ("http://10.0.0.5:8000/v1", True),
        ("https://llm.example.com/v1", False),
        ("http://127.0.0.1:8000/v1", False),
        ("http://localhost:8000/v1", False),
        ("http://[::1]:8000/v1", False),
        ("http://localhost.example.com/v1", True),
    ],
)
def test_a_key_over_plain_http_to_another_machine_is_a_warning(base_url, warned):
    key = key_from_environment("K", base_url, {"K": VALUE})

    warning = keys.plain_http_warning(key, endpoint(base_url))

    assert (warning is not None) is warned
    assert VALUE not in (warning or "")
    assert keys.plain_http_warning(None, endpoint(base_url)) is None


@pytest.mark.parametrize(
    ("value", "said", "shown"),
    [
        (VALUE, f"bad key {VALUE}x and {VALUE}", "bad key [the key]x and [the key]"),
        ("none", "none of these is a nonexistent one", "[the key] of these is a nonexistent one"),
        ("abc1", "abc1, key=abc1: 'abc1'. Not abc1.", "[the key], key=[the key]: '[the key]'. Not [the key]."),
        ("llama", "llama-3 llama:8b meta/llama llama.cpp llama_x", "llama-3 llama:8b meta/llama llama.cpp llama_x"),
        ("a(b|", "a(b| is no pattern", "[the key] is no pattern"),
        ("one", "one in three", "one in three"),
        ("e", "seven", "seven"),
    ],
)
def test_a_key_is_hidden_and_no_word_is_cut_to_pieces(value, said, shown):
    assert key_from_environment("K", "http://127.0.0.1:1/v1", {"K": value}).hide(said) == shown


@pytest.mark.parametrize(
    ("value", "said", "shown"),
    [(VALUE, f'{{"data":"{VALUE}"}}', '{"data":"[the key]"}'), ("data", '{"data":"x"}', '{"data":"x"}')],
)
def test_in_bytes_a_key_that_may_be_a_name_of_json_stays(value, said, shown):
    key = key_from_environment("K", "http://127.0.0.1:1/v1", {"K": value})

    assert key.hide_in(said.encode()) == shown.encode()
