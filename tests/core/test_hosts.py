"""Hosts in one form that can be compared."""

import pytest

from core.hosts import address, host_text, is_this_machine, normal_host


@pytest.mark.parametrize(
    ("url", "host", "port"),
    [
        ("http://LLM.Example.com/v1", "llm.example.com", 80),
        ("https://llm.example.com./v1", "llm.example.com", 443),
        ("http://10.0.0.5:8000", "10.0.0.5", 8000),
        ("http://[0:0::1]:9/v1", "::1", 9),
        ("https://bücher.example/v1", "xn--bcher-kva.example", 443),
    ],
)
def test_an_address_is_host_and_port(url, host, port):
    assert address(url) == (host, port)


@pytest.mark.parametrize(
    ("host", "port", "text"),
    [
        ("a.example", 443, "a.example"),
        ("a.example", 8000, "a.example:8000"),
        ("::1", 9, "[::1]:9"),
        ("::1", None, "[::1]"),
    ],
)
def test_a_host_is_written_as_people_do(host, port, text):
    assert host_text(host, port) == text


@pytest.mark.parametrize(
    ("host", "here"),
    [
        ("127.0.0.1", True), ("127.8.8.8", True), ("::1", True), ("localhost", True), ("a.localhost", True),
        ("10.0.0.1", False), ("localhost.example", False), ("127.0.0.1.example", False),
    ],
)  # fmt: skip
def test_what_is_this_machine(host, here):
    assert is_this_machine(host) is here


def test_a_name_that_is_no_name_stays_as_it_is():
    assert normal_host("a" * 80) == "a" * 80
