"""An HTTP answer as a value: what counts as JSON, a web page, a model list."""

import pytest

from core.probing.page import Page, is_model_list, model_entries, redirect_target


def page(body: bytes, status: int = 200, content_type: str = "application/json") -> Page:
    return Page(path="/v1/models", status=status, headers={"content-type": content_type}, body=body)


@pytest.mark.parametrize(
    ("body", "is_list", "names"),
    [
        (b'{"data":[{"id":"a"},{"id":"b","x":1}]}', True, ["a", "b"]),
        (b'{"data":[]}', True, []),
        (b'{"data":[{"id":7},{"name":"a"},null]}', False, []),
        (b'{"data":{"id":"a"}}', False, []),
        (b'{"data":[{"id":"a"},{"id":"\\u001b[31m"}]}', True, ["a"]),
        (b'{"object":"list"}', False, []),
        (b"[]", False, []),
        (b"nonsense", False, []),
        (b"", False, []),
    ],
)
def test_what_is_a_model_list(body, is_list, names):
    assert is_model_list(page(body)) is is_list
    assert [entry["id"] for entry in model_entries(page(body))] == names


def test_an_error_is_no_model_list_whatever_it_holds():
    assert not is_model_list(page(b'{"data":[{"id":"a"}]}', status=500))
    assert model_entries(page(b'{"data":[{"id":"a"}]}', status=500)) == []


@pytest.mark.parametrize(
    ("body", "content_type", "html"),
    [
        (b"<!DOCTYPE html><title>x</title>", "text/html; charset=utf-8", True),
        (b"  <html>", "text/plain", True),
        (b'{"a":"<b>"}', "application/json", False),
        (b"Ollama is running", "text/plain", False),
        (b"no tags", "text/html", False),
    ],
)
def test_what_is_a_web_page(body, content_type, html):
    assert page(body, content_type=content_type).looks_like_html is html


@pytest.mark.parametrize(
    ("location", "target"),
    [
        ("/v2/models", "http://h:1/v2/models"),
        ("https://other/x", "https://other/x"),
        ("http://[/", None),
        ("http://[the key]/", None),
        ("http://h:99999999/", None),
        ("http://h:abc/", None),
    ],
)
def test_where_a_redirect_leads(location, target):
    assert redirect_target("http://h:1/v1/models", location) == target
