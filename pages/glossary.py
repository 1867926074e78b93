"""Every term with its definition, its formula and what other tools call it. Takes all words from core.definitions."""

import streamlit as st

from core.definitions.compared import FIXED_WORDS, SPEED_BANDS, WAIT_LINES
from core.definitions.spec import MetricSpec
from core.metrics import METRICS
from core.words import say
from pages.parts.look import header, section
from pages.parts.text import escape_markdown

COLUMNS = (1.1, 2.6, 1.5)
GROUPS = {
    "request": ("One request", "all times from one clock; a point counts from the run's start, a span is a difference"),
    "run": ("A run", "one configuration at one load"),
    "compared": ("What is compared", ""),
}


def matches(spec: MetricSpec, wanted: str) -> bool:
    """Whether the search finds this term, in its names or in anything said about it."""
    text = f"{spec.key} {spec.name} {spec.definition} {spec.formula} {spec.caution} {spec.others}"
    return all(word in text.casefold() for word in wanted.casefold().split())


def draw_term(spec: MetricSpec) -> None:
    """One row: the name that links lead to, what it means, what others call it."""
    name, meaning, others = st.columns(COLUMNS, gap="medium")
    with name.container(gap="xxsmall"):
        st.subheader(spec.title, anchor=spec.anchor)
        if spec.long:
            st.markdown(f":small[{escape_markdown(spec.long)}]")
        facts = (spec.unit, say("{better} is better", better=say(spec.better)) if spec.better else "")
        st.markdown(f":gray[:small[{' · '.join(fact for fact in facts if fact)}]]")
    with meaning.container(gap="xxsmall"):
        st.markdown(escape_markdown(spec.definition))
        if spec.formula:
            st.markdown(f"`{spec.formula}`")
        if spec.caution:
            st.markdown(f":gray[:small[{escape_markdown(spec.caution)}]]")
    others.markdown(f":small[{escape_markdown(spec.others)}]" if spec.others else ":gray[–]")


def draw_group(group: str, specs: list[MetricSpec]) -> None:
    """One group under its head, with column titles."""
    title, note = GROUPS[group]
    section(say(title), say(note) if note else "")
    with st.container(border=True, gap="medium"):
        for place, words in zip(
            st.columns(COLUMNS, gap="medium"),
            (say("Term"), say("Meaning"), say("What other tools call it, or mean by it")),
            strict=True,
        ):
            place.markdown(f":gray[:small[{words}]]")
        for spec in specs:
            draw_term(spec)


def draw_fixed_words() -> None:
    """The closed lists of words, and the reference lines of the charts."""
    section(say("Fixed words"), say("the only words the product uses for these"))
    with st.container(border=True, gap="xsmall"):
        for topic, words in FIXED_WORDS.items():
            st.markdown(f"**{topic}** &ensp;" + " ".join(f"`{word}`" for word in words))
    section(say("Reference lines"), say("speeds of one stream, never to be held against a total"))
    with st.container(border=True, gap="xsmall"):
        for band in SPEED_BANDS:
            span = f"{band.low:g}–{band.high:g}" if band.high else say("{n} and more", n=f"{band.low:g}")
            st.markdown(f"**{span} tokens/s** &ensp;{escape_markdown(band.remark)}")
        for seconds, remark in WAIT_LINES:
            st.markdown(f"**{say('after {n} s', n=f'{seconds:g}')}** &ensp;{escape_markdown(remark)}")


def main() -> None:
    """Search, then the groups."""
    actions = header(say("Glossary"), say("What every number means, how it is computed, and what others call it."))
    wanted = actions.text_input(
        say("Search"),
        placeholder=say("TTFT, ITL, goodput …"),
        icon=":material/search:",
        label_visibility="collapsed",
        width=260,
        key="q",
        bind="query-params",
    )
    found = [spec for spec in METRICS.values() if matches(spec, wanted or "")]
    for group in GROUPS:
        specs = [spec for spec in found if spec.group == group]
        if specs:
            draw_group(group, specs)
    if not found:
        st.markdown(say("No term contains “{words}”. Clear the search to see all.", words=escape_markdown(wanted)))
    if not wanted:
        draw_fixed_words()


main()
