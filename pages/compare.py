"""Runs side by side against a baseline: the verdict, reasons to doubt it, the charts that prove it, the values."""

import streamlit as st

from core.comparison import Statistic
from core.lineup import Entry, Lineup
from core.run import ENDED_STATES
from core.standing import doubts, rows
from core.words import say
from pages.parts import compare_charts, compare_controls, compare_range, compare_search, compare_tables, compare_verdict
from pages.parts.compare_choice import choose
from pages.parts.compare_controls import Look, contenders, looked_at, nothing_chosen, spread_of
from pages.parts.compare_data import MOST, chosen_ids, doubts_of_runs, laid_out, read
from pages.parts.look import findings, header, pair, problem
from pages.parts.text import escape_markdown, plural, short


def purpose(line: Lineup, names: set[str]) -> str:
    """What exactly is shown, as markdown."""
    models = list(dict.fromkeys(contender.configuration.model for contender in line.contenders))
    asked = {c.entries[0].run.plan.lengths_in_words for c in line.contenders}
    told = [escape_markdown(short(models[0], 50)) if len(models) == 1 else plural(len(models), "model", "models")]
    if len(asked) == 1:
        told.append(escape_markdown(say("{lengths} tokens", lengths=next(iter(asked)))))
    many = plural(len(line.contenders), "configuration", "configurations")
    told.append(f"{many} × {plural(len(line.levels), 'level', 'levels')}")
    if len(names) == 1:
        told.append(f"“{escape_markdown(short(next(iter(names)), 60))}”")
    return " · ".join(told)


def draw(line: Lineup, left_out: list[str], names: set[str]) -> None:
    """The whole comparison, the answer first."""
    actions = header(say("Compare"), purpose(line, names))
    with st.container(horizontal=True, vertical_alignment="bottom", horizontal_alignment="distribute", gap="small"):
        contenders(line)
        look = looked_at(line)
    if not line.others:  # then what the search found is the answer
        compare_search.show(line)
    compare_verdict.card(line, look.level, look.percentile, actions)
    with actions:
        compare_tables.export(line)
    compare_verdict.tutorial_line(compare_verdict.tutorial_words(line, look.level))
    if line.others:
        compare_search.show(line)
    findings(doubts(line, look.level, doubts_of_runs(line)))
    for words in left_out:
        problem(words, level="note")
    compare_controls.other_kind(line)
    draw_charts(line, look)
    wide = len(line.contenders) > compare_tables.WIDE
    left, right = (st.container(), st.container()) if wide else pair("pair_tables", [2.3, 1], gap="medium")
    with left:
        statistics: list[Statistic] = ["p50"] if look.percentile == "p50" else ["p50", look.percentile]
        compare_tables.values(line, rows(line, look.level, statistics), look.level)
    with right:
        compare_tables.apart(line)
    compare_tables.runs(line)


def draw_charts(line: Lineup, look: Look) -> None:
    """The proof: the trade-off, the differences, the load, every request."""
    left, right = pair("pair_hero", [1.25, 1], gap="medium")
    with left:
        compare_charts.tradeoff(line, look.metric, look.percentile)
        compare_range.ranges(line, look.percentile)
    with right:
        compare_charts.differences(line, rows(line, look.level, [look.percentile]), look.level)
    compare_charts.load_panels(line)
    left, right = pair("pair_requests", [1.25, 1], gap="medium")
    with left:
        compare_charts.every_request(line, look.level, look.metric, look.percentile)
    with right:
        metric, shape = spread_of()
        compare_charts.spread(line, look.level, metric, shape)


def remarks(entries: list[Entry], gone: list[str]) -> list[str]:
    """Which of the chosen runs are not in the numbers, or not whole yet."""
    live = [entry for entry in entries if entry.run.state not in ENDED_STATES]
    silent = sum(not has_answer(entry) for entry in entries if entry not in live)
    waiting = sum(not has_answer(entry) for entry in live)
    found = [
        say("Left out: {runs} {words}.", runs=plural(number, "run", "runs"), words=words)
        for words, number in (
            (say("deleted"), len(gone)),
            (say("without an answer yet"), waiting),
            (say("without any answer"), silent),
        )
        if number
    ]
    if len(live) > waiting:
        going = plural(len(live) - waiting, "run", "runs")
        found.append(say("Still running, with numbers so far: {runs}. Reload for more.", runs=going))
    return found


def has_answer(entry: Entry) -> bool:
    """Whether there is anything to compare in it."""
    return bool(entry.summary.counts.get("ok"))


def main() -> None:
    """Open what the link names."""
    query = st.query_params
    entries, gone = read(chosen_ids(query.get("runs", ""), query.get("experiment", "")))
    answered = [entry for entry in entries if has_answer(entry)]
    if not answered:
        nothing_chosen(gone)
        return
    line = laid_out(answered, query.get("baseline", ""))
    if len(line.contenders) > MOST:
        choose(line)
        return
    names = {str((entry.run.experiment or {}).get("name") or "") for entry in answered} - {""}
    draw(line, remarks(entries, gone), names)


main()
