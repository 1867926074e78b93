"""People paste addresses in every form; what is none is refused in one sentence."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.base_url import PlanError, is_another, normal_base_url


@pytest.mark.parametrize(
    ("pasted", "meant"),
    [
        ("http://h:8000/v1", "http://h:8000/v1"),
        ("http://h:8000/v1/", "http://h:8000/v1"),
        ("http://h:8000", "http://h:8000/v1"),
        ("h:8000", "http://h:8000/v1"),
        ("  localhost:11434 ", "http://localhost:11434/v1"),
        ("https://h/v1/chat/completions", "https://h/v1"),
        ("https://h/v1/completions?#top", "https://h/v1"),
        ("https://h/v1/models", "https://h/v1"),
        ("https://openrouter.ai/api/v1", "https://openrouter.ai/api/v1"),
        ("https://h/openai/deployments/x", "https://h/openai/deployments/x"),
        ("http://[::1]:8000", "http://[::1]:8000/v1"),
    ],
)
def test_every_form_means_one_address(pasted, meant):
    assert normal_base_url(pasted) == meant
    assert normal_base_url(meant) == meant


@pytest.mark.parametrize(
    ("pasted", "part"),
    [
        ("", "empty"),
        ("   ", "empty"),
        ("ftp://h/v1", "ftp"),
        ("file:///etc/passwd", "file"),
        ("http://", "no host"),
        ("http://h:99999/v1", "cannot be read"),
        ("http://h:port/v1", "cannot be read"),
        ("http://[::1/v1", "cannot be read"),
        ("http://user:sk-123@h/v1", "user name or key"),
        ("http://h/v1?api_key=sk-123", "has a query"),
        ("http://é..com/v1", "host that cannot exist"),
        ("http://a..com/v1", "host that cannot exist"),
        ("http://" + "é" * 80 + ".com", "host that cannot exist"),
        ("http://h/a b", "blank"),
        ("http://h/v1\nX-Header: 1", "blank"),
    ],
)
def test_what_is_no_address_is_one_sentence(pasted, part):
    with pytest.raises(PlanError, match=part) as refused:
        normal_base_url(pasted)

    assert "sk-123" not in str(refused.value)
    assert "codec" not in str(refused.value)
    assert "cast" not in str(refused.value)


@pytest.mark.parametrize(
    ("address", "another"),
    [
        ("https://h/v1", True),
        ("http://h/v2", True),
        ("http://h/v1/models", False),
        ("http://h", False),
        ("file:///etc/passwd", False),
        ("http://[::1/ok", False),
        ("", False),
    ],
)
def test_another_base_url_is_an_address_that_differs(address, another):
    assert is_another(address, "http://h/v1/chat/completions") is another


@given(st.text())
def test_any_text_is_an_address_or_a_plan_error(pasted):
    try:
        found = normal_base_url(pasted)
    except PlanError:
        return
    assert normal_base_url(found) == found
