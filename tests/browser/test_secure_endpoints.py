"""Endpoints behind TLS and keys, from the form to a finished benchmark, and what is said where one is refused."""

import re
import ssl
from urllib.parse import urlsplit

import pytest
import trustme
from playwright.sync_api import Locator, Page, expect

from tests.browser.conftest import Visitor
from tests.browser.hands import LOOK_MS, choose, press, unfold, write
from tests.browser.house_servers import MODEL, guarded, keys_sent
from tests.browser.steps import add_configuration, launch, wait_for_state
from tests.running_app import RunningApp

KEY = "sk-guarded-0123456789abcdef"
STREAMS = re.compile("yes|not clear")  # on a machine that is held up the probe does not say more


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("secure")


@pytest.fixture(scope="module")
def app(folder, cache):
    """The app, with its secrets.toml in `folder`."""
    with RunningApp(folder, PACELINE_CACHE=str(cache)) as running:
        yield running


@pytest.fixture(scope="module")
def authority(folder) -> trustme.CA:
    made = trustme.CA()
    made.cert_pem.write_to_path(str(folder / "ca.pem"))
    return made


@pytest.fixture
def certified(authority) -> ssl.SSLContext:
    """TLS of a server for 127.0.0.1, certified by `authority`."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    authority.issue_cert("127.0.0.1").configure_cert(context)
    return context


def give_key(folder, *, name="LAB_KEY", value=KEY, host):
    """Write secrets.toml, as an operator does."""
    (folder / "secrets.toml").write_text(f'[api_keys.{name}]\nvalue = "{value}"\nhosts = ["{host}"]\n')


def add(visitor: Visitor, app, name: str, base_url: str, *, key_name: str = "", ca_file: str = "") -> Page:
    """Fill the whole form of a new endpoint, save it, and wait for the outcome of its probe."""
    page = visitor.goto(f"{app.address}/endpoints")
    dialog = page.get_by_role("dialog")
    press(page.get_by_role("button", name="Add endpoint"), lambda: expect(dialog).to_be_visible(timeout=LOOK_MS))
    write(dialog.get_by_role("textbox", name="Name", exact=True), name)
    write(dialog.get_by_role("textbox", name="Base URL"), base_url)
    if key_name:
        choose(dialog.get_by_role("combobox", name="Key name"), key_name)
    if ca_file:
        box = dialog.get_by_role("textbox", name="CA file")
        unfold(dialog.get_by_text("Headers, timeouts, certificate, notes"), box)
        write(box, ca_file)
    save(dialog)
    expect(page.get_by_text(re.compile(re.escape(urlsplit(base_url).netloc) + ".*· probed ")).first).to_be_visible()
    return page


def save(dialog: Locator) -> None:
    """Save and probe; the dialog closes."""
    press(dialog.get_by_role("button", name="Save and probe"), lambda: expect(dialog).to_have_count(0, timeout=LOOK_MS))


def check(page: Page, title: str) -> Locator:
    """A row of the checklist."""
    return page.get_by_role("row").filter(has=page.get_by_role("cell", name=title, exact=True))


def benchmark(visitor: Visitor, app, endpoint: str, *, ends: str) -> Page:
    """Two requests to an endpoint, and its end."""
    page = visitor.goto(f"{app.address}/benchmark")
    add_configuration(page, endpoint, MODEL, f"at {endpoint}")
    launch(page, requests=2, level="1")
    wait_for_state(page, ends)
    return page


def test_an_endpoint_with_a_certificate_of_its_own_authority_is_probed_and_measured(app, visitor, folder, certified):
    with guarded(tls=certified) as server:
        page = add(visitor, app, "house tls", server.base_url, ca_file=str(folder / "ca.pem"))

        expect(check(page, "TLS")).to_contain_text("valid until")
        expect(check(page, "Streams")).to_contain_text(STREAMS)
        benchmark(visitor, app, "house tls", ends="completed")


def test_without_that_authority_it_is_told_where_to_name_it(app, visitor, certified):
    with guarded(tls=certified) as server:
        page = add(visitor, app, "stranger", server.base_url)

    expect(page.get_by_text(re.compile("TLS with .* fails")).first).to_be_visible()
    expect(page.get_by_text(re.compile("Next: Name the certificate authority's file as CA file")).first).to_be_visible()


def test_a_ca_file_that_is_none_is_said_in_the_form_and_nothing_is_lost(app, visitor, folder, certified):
    with guarded(tls=certified) as server:
        page = visitor.goto(f"{app.address}/endpoints")
        dialog = page.get_by_role("dialog")
        press(page.get_by_role("button", name="Add endpoint"), lambda: expect(dialog).to_be_visible(timeout=LOOK_MS))
        write(dialog.get_by_role("textbox", name="Name", exact=True), "folder")
        write(dialog.get_by_role("textbox", name="Base URL"), server.base_url)
        box = dialog.get_by_role("textbox", name="CA file")
        unfold(dialog.get_by_text("Headers, timeouts, certificate, notes"), box)
        write(box, str(folder))
        sentence = dialog.get_by_text("cannot be used: it is a folder")
        press(
            dialog.get_by_role("button", name="Save and probe"), lambda: expect(sentence).to_be_visible(timeout=LOOK_MS)
        )

        write(box, str(folder / "ca.pem"))
        save(dialog)
        expect(check(page, "TLS")).to_contain_text("valid until")


def test_a_named_key_goes_to_its_host_for_probe_and_benchmark_and_is_shown_nowhere(app, visitor, folder):
    with guarded(key=KEY) as server:
        give_key(folder, host=f"127.0.0.1:{server.port}")
        page = add(visitor, app, "behind a key", server.base_url, key_name="LAB_KEY")

        expect(check(page, "Key")).to_contain_text("LAB_KEY (from secrets.toml)")
        expect(check(page, "Streams")).to_contain_text(STREAMS)
        assert KEY not in page.content()
        page = benchmark(visitor, app, "behind a key", ends="completed")
        assert KEY not in page.content()

        assert set(keys_sent(server)) == {f"Bearer {KEY}"}
    assert KEY.encode() not in app.database.read_bytes()
    assert KEY not in app.said()


def test_a_key_for_another_host_is_not_sent_and_both_hosts_are_named(app, visitor, folder):
    with guarded(key=KEY) as server:
        give_key(folder, host="llm.example.com")
        page = add(visitor, app, "wrong host", server.base_url, key_name="LAB_KEY")

        sentence = f"The key LAB_KEY is for llm.example.com only, and this endpoint is at 127.0.0.1:{server.port}"
        shown = re.compile("\N{WORD JOINER}?".join(map(re.escape, sentence)))
        expect(page.get_by_text(shown).first).to_be_visible()
        expect(page.get_by_text(re.compile("Next: Correct the base URL, or add")).first).to_be_visible()
        assert server.asked == []


def test_a_key_that_is_refused_is_a_matter_of_sign_in_with_the_place_to_correct_it(app, visitor, folder):
    with guarded(key=KEY) as server:
        give_key(folder, value="sk-another-9876543210fedcba", host=f"127.0.0.1:{server.port}")
        page = add(visitor, app, "refused", server.base_url, key_name="LAB_KEY")

    expect(page.get_by_text("401: the server does not accept this key.").first).to_be_visible()
    expect(page.get_by_text("Incorrect API key provided").first).to_be_visible()
    expect(page.get_by_text(re.compile(r"Next: Correct \[api_keys\.LAB_KEY\]")).first).to_be_visible()
