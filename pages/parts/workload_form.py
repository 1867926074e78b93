"""The dialog that adds or changes a saved workload. Nothing typed is lost when a field is refused; no key is kept."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from itertools import count
from typing import Any

import streamlit as st

from core import pasted
from core.plan import PlanError, Workload
from core.words import say
from core.workload import LANGUAGES, Language
from core.workload_words import LANGUAGES as LANGUAGE_WORDS
from core.workload_words import lengths_words
from pages.parts import dialog, fields, look, state, workload_lengths
from pages.parts.plan_fields import MOST_SEED
from pages.parts.text import escape_markdown
from storage.library_values import SavedWorkload
from storage.problems import StorageProblem

SELECTED = "workloads_selected"
Key = Callable[[str], str]


@dataclass(frozen=True, slots=True, kw_only=True)
class Opened:
    """What the dialog was opened for.

    Attributes:
        name: What the field of the name begins with.
        replaces: The name under which it is saved now; None adds a new one.
    """

    known: Workload
    name: str = ""
    replaces: str | None = None


def open_to_add() -> None:
    """A form of the usual."""
    dialog.show(say("Add workload"), _form, Opened(known=Workload()), width="large")


def open_to_edit(known: SavedWorkload) -> None:
    """The form of a saved one, of whichever version; saving makes the next."""
    opened = Opened(known=known.workload, name=known.name, replaces=known.name)
    dialog.show(say("Edit workload"), _form, opened, width="large")


def open_to_clone(known: SavedWorkload, others: Sequence[SavedWorkload]) -> None:
    """The form of a new one that begins with another's values."""
    names = {one.name for one in others}
    name = next(name for number in count(2) if (name := f"{known.name[:110]} {number}") not in names)
    dialog.show(say("Clone workload"), _form, Opened(known=known.workload, name=name), width="large")


def _form(key: Key, opened: Opened) -> None:
    known = opened.known
    left, right = st.columns([2, 1])
    name = left.text_input(say("Name"), opened.name, key=key("name"), max_chars=120, placeholder=say("chat, short"))
    language: Language = right.selectbox(
        say("Language of the prompts"), LANGUAGES, index=LANGUAGES.index(known.language), key=key("language"),
        format_func=lambda it: say(LANGUAGE_WORDS[it]),
    )  # fmt: skip
    lengths = workload_lengths.fields(known, key)
    read = _sampling(known, key)
    asked: Workload | None = None
    try:
        asked = replace(known, language=language, **lengths(), **read(), saved_name=None, saved_version=None)
    except PlanError as fault:
        look.problem(str(fault), level="act")
    if asked is not None:
        words = say("Asks for {lengths} tokens.", lengths=lengths_words(asked))
        st.markdown(f":gray[:small[{escape_markdown(words)}]]")
    if st.button(say("Save"), type="primary", icon=":material/check:", key=key("save"), disabled=asked is None):
        assert asked is not None
        try:
            saved = state.services().library.workloads.save(name, asked, replaces=opened.replaces)
        except StorageProblem as fault:
            look.problem(str(fault))
        else:
            st.session_state[SELECTED] = saved.name
            st.rerun()


def _sampling(known: Workload, key: Key) -> Callable[[], dict[str, Any]]:
    """Everything of it but its lengths and its language; what reads them, and raises PlanError."""
    ends, heat, seed = st.columns([1.4, 1, 1])
    exact = ends.selectbox(
        say("Answer ends"), [False, True], index=int(known.ignore_eos), key=key("exact"),
        format_func=lambda it: say("at that length") if it else say("when it stops"),
        help=say("Exactly: the server is asked to ignore its stop token (ignore_eos), where it accepts that."),
    )  # fmt: skip
    temperature = heat.number_input(
        say("Temperature"), 0.0, 100.0, known.temperature, 0.1, key=key("temperature"), placeholder=say("not sent")
    )
    drawn = seed.number_input(
        say("Seed"), -MOST_SEED, MOST_SEED, max(-MOST_SEED, min(MOST_SEED, known.seed)), key=key("seed"),
        help=say("The same seed draws the same lengths and words."),
    )  # fmt: skip
    system = st.text_area(
        say("System prompt"), known.system_prompt or "", key=key("system"), height=80, placeholder=say("none")
    )
    texts, body = st.columns(2)
    stops = texts.text_area(
        say("Stop texts"), fields.escaped_lines(known.stop), key=key("stops"), height=80, placeholder="\\n\\n",
        help=say("One a line; \\n stands for a line's end within one. The server ends its answer there."),
    )  # fmt: skip
    extra = body.text_area(
        say("Extra body"), pasted.extra_text(known.extra_body), key=key("extra"), height=80,
        placeholder='{"top_p": 0.9}', help=say("A JSON object merged into every request body."),
    )  # fmt: skip
    with st.container(horizontal=True, gap="medium"):
        stream = st.toggle(
            say("Stream"),
            known.stream,
            key=key("stream"),
            help=say("Without it TTFT, TPOT and chunk gaps do not exist."),
        )
        nonce = st.toggle(
            say("New prompts in every run"), known.nonce, key=key("nonce"),
            help=say("Each begins with words that no other has, so that no prefix cache helps."),
        )  # fmt: skip
    return lambda: {
        "ignore_eos": exact, "temperature": temperature, "seed": drawn or 0, "system_prompt": system or None,
        "stop": fields.escaped_texts(stops), "extra_body": pasted.extra_body(extra), "stream": stream, "nonce": nonce,
    }  # fmt: skip
