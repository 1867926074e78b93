"""The list of runs: find, open, compare, delete after a question."""

import json

import pytest

from core.chart_style import INK
from core.run import RunState
from pages.parts import runs_table
from pages.parts.runs_room import FRAME, USUAL, fitting
from tests.pages.seen import HOSTILE, button, words


def ticked(page, *rows, cells=()):
    key = page.dataframe[0].proto.id.rpartition("-")[2]
    page.session_state[key] = {"selection": {"rows": list(rows), "columns": [], "cells": list(cells)}}
    return page.run()


def listed(page):
    return list(page.dataframe[0].value["Configuration"])


@pytest.mark.usefixtures("services")
@pytest.mark.parametrize("alone", [True, False])
def test_without_runs_it_says_what_to_do(opened, alone):
    page = opened("runs", alone=alone)

    assert "No runs yet" in words(page)
    assert button(page, "Run built-in comparison")
    assert button(page, "Plan my own")


@pytest.mark.parametrize("alone", [True, False])
def test_every_run_is_a_row(put, opened, alone):
    put("a", label="A")
    put("b", label="B", demo="simulated", state=RunState.CANCELLED)

    page = opened("runs", alone=alone)

    assert set(listed(page)) == {"A", "(simulated) B"}
    assert "2 runs" in words(page)


def test_tags_and_names_of_their_own_are_columns_once_there_are_any(put, services, opened):
    put("a", label="A")
    put("b", label="B")
    assert not {"Tags", "Name"} & set(opened("runs").dataframe[0].value)

    services.runs.tag("a", ["gpu", "night"])
    services.runs.rename("b", "After the driver update")
    table = opened("runs").dataframe[0].value.set_index("Configuration")

    assert list(table.loc["A", "Tags"]) == ["gpu", "night"]
    assert table.loc["B", "Name"] == "After the driver update"
    assert table["Name"].isna().to_list() == [False, True]


def test_tags_are_seen_in_a_usual_window():
    names = [*runs_table.WIDTHS]

    assert "Tags" in fitting(USUAL, names, runs_table.WIDTHS, runs_table.FREE)


def test_a_name_behind_the_mark_of_the_simulator_has_room_at_900_px(put, services):
    put("a", label="A", demo="simulated")
    put("b", label="B")
    rows = services.runs.list_runs()
    at_900 = 620

    assert (
        fitting(at_900, [*runs_table.WIDTHS], runs_table.name_room(runs_table.WIDTHS, rows), {})[runs_table.NAME] == 190
    )
    own = [row for row in rows if not row.demo]
    assert runs_table.name_room(runs_table.WIDTHS, own) == runs_table.WIDTHS


def test_a_search_in_the_link_filters(put, opened):
    put("a", label="Alpha")
    put("b", label="Beta")

    page = opened("runs", q="beta")

    assert listed(page) == ["Beta"]
    assert "1 of 2 runs" in words(page)


def test_a_state_filters(put, opened):
    put("a", label="A")
    put("b", label="B", state=RunState.CANCELLED)
    page = opened("runs")

    page.button_group[0].set_value([RunState.CANCELLED]).run()

    assert listed(page) == ["B"]


def test_a_search_without_a_match_says_so(put, opened):
    put("a")

    assert "No run matches" in words(opened("runs", q="nothing like it"))


def test_compare_needs_two(put, opened):
    put("a", label="A")
    put("b", label="B")
    page = opened("runs", alone=False)

    assert button(page, "Compare").disabled
    assert button(ticked(page, 0), "Compare").disabled
    assert not button(ticked(page, 0, 1), "Compare 2").disabled


def test_a_click_on_a_name_opens_the_run(put, opened):
    put("a", label="A")
    page = opened("runs", alone=False)

    ticked(page, cells=[[0, "Configuration"]])

    assert page.title[0].value.startswith("A at 4 in flight")


def test_deleting_asks_first(put, services, opened):
    put("a", label="A")
    put("b", label="B " + HOSTILE)
    page = ticked(opened("runs"), 0)

    button(page, "Delete 1").click().run()
    assert "will be gone for good" in words(page)
    assert len(services.runs.list_runs()) == 2

    assert page.button("delete_runs").label.startswith(":red[")
    assert page.button("delete_runs").proto.type == "secondary"
    page.button("delete_runs").click().run()
    assert len(services.runs.list_runs()) == 1
    assert button(page, "Compare").disabled
    assert not any(one.label.startswith("Delete") for one in page.button)  # ticks belong to places: none is left


def test_keeping_deletes_nothing(put, services, opened):
    put("a")
    page = ticked(opened("runs"), 0)

    button(page, "Delete 1").click().run()
    page.button("keep_runs").click().run()

    assert len(services.runs.list_runs()) == 1


def test_numbers_of_the_table_are_rounded_and_not_cut_off(put, opened):
    put("a", ttft=0.5859)

    row = opened("runs").dataframe[0].value.iloc[0]

    assert row["TTFT p99"] == round(row["TTFT p99"])


def test_a_success_rate_just_below_all_is_not_shown_as_all(put, opened):
    put("a", requests=3000, failed=1)

    assert opened("runs").dataframe[0].value["Success"][0] == 99.9


def test_a_p99_of_few_requests_is_grey(put, opened):
    put("a", requests=99)
    assert INK["light"].muted in opened("runs").dataframe[0].proto.arrow_data.styler.styles


def test_a_column_of_a_metric_says_what_it_is(put, opened):
    put("a")

    columns = json.loads(opened("runs").dataframe[0].proto.columns)

    anchors = {name: column["help"] for name, column in columns.items() if "/glossary#" in (column.get("help") or "")}
    assert set(anchors) == {
        "In flight", "Requests", "TTFT p50", "TTFT p99", "TPOT p50", "Output", "One", "Success", "Gap",
    }  # fmt: skip


def test_rates_show_themselves_once_a_run_has_one(put, opened):
    put("a")
    assert runs_table.RATE not in opened("runs").dataframe[0].value

    put("b", rate=2.5)
    found = opened("runs").dataframe[0].value
    assert found[runs_table.RATE].to_list()[0] == 2.5
    assert found[runs_table.RATE].isna().to_list() == [False, True]
    assert found["In flight"].isna().to_list() == [True, False]


def test_tags_show_themselves_once_a_run_has_one(put, services, opened):
    put("a", tpot=0.18312)
    page = opened("runs")
    assert "Tags" not in page.dataframe[0].value
    assert not page.multiselect
    assert page.dataframe[0].value["TPOT p50"][0] == round(page.dataframe[0].value["TPOT p50"][0])

    services.runs.tag("a", ["nightly"])
    page = opened("runs")
    assert list(page.dataframe[0].value["Tags"][0]) == ["nightly"]
    assert page.multiselect[0].options == ["nightly"]


def shown(page):
    """The columns that are drawn."""
    return list(page.dataframe[0].proto.column_order)


@pytest.mark.parametrize(
    ("room", "last"),
    [(620, "State"), (1160, "Success"), (2000, "Experiment")],
    ids=["900 px", "1440 px", "as wide as it gets"],
)
def test_columns_are_chosen_by_importance_and_fit_without_scrolling(room, last):
    names = [name for name in runs_table.WIDTHS if name not in (runs_table.RATE, runs_table.DOUBT)]
    found = fitting(room, names, runs_table.WIDTHS, runs_table.FREE)

    assert set(found) == set(names[: names.index(last) + 1])
    assert sum(found.values()) + FRAME <= room


def test_what_room_is_left_goes_to_the_names():
    narrow, wide = (
        fitting(room, ["", runs_table.NAME, "In flight"], runs_table.WIDTHS, runs_table.FREE) for room in (400, 500)
    )

    assert wide[runs_table.NAME] == narrow[runs_table.NAME] + 100
    assert (narrow["In flight"], narrow[""]) == (wide["In flight"], wide[""])


def test_the_table_keeps_the_order_of_its_columns(put, opened):
    put("a")

    found = shown(opened("runs"))

    assert found == [name for name in opened("runs").dataframe[0].value if name in found]
    assert {"Model", "Started", "State"} <= set(found)
    assert "Gap" not in found


def test_all_columns_are_there_when_they_are_wanted(put, opened):
    put("a")
    page = opened("runs")

    page.toggle[0].set_value(True).run()

    assert shown(page) == list(page.dataframe[0].value)


def test_ticks_stay_with_their_runs_when_another_one_comes(put, opened):
    put("a", label="A")
    put("b", label="B")
    page = ticked(opened("runs"), listed(opened("runs")).index("A"))
    assert button(page, "Open")

    put("c", label="C")
    page.run()

    (row,) = chosen_at_first(page)
    assert listed(page)[row] == "A"


def test_ticks_outlast_a_search(put, opened):
    for name in "ABC":
        put(name, label=name)
    page = opened("runs")
    ticked(page, listed(page).index("A"))
    page.text_input[0].set_value("B").run()
    ticked(page, 0)

    page.text_input[0].set_value("").run()

    assert sorted(listed(page)[row] for row in chosen_at_first(page)) == ["A", "B"]


def test_what_a_link_ticks_can_be_unticked(put, opened):
    put("a", label="A")
    page = opened("runs", tick="a")
    assert chosen_at_first(page) == [0]

    ticked(page)
    put("b", label="B")
    page.run()

    assert chosen_at_first(page) == []


def chosen_at_first(page):
    """The rows that the table was drawn with ticked."""
    return json.loads(page.dataframe[0].proto.selection_default or "{}").get("selection", {}).get("rows", [])


@pytest.mark.parametrize("page", ["runs", "overview"])
def test_runs_on_a_busy_machine_are_marked_in_the_tables_of_runs(put, opened, page):
    put("calm", label="calm", busy=0.3)
    put("busy", label="busy", busy=0.99)

    table = opened(page).dataframe[0].value.set_index("Configuration")

    assert list(table.loc["busy", runs_table.DOUBT]) == ["in doubt"]
    assert list(table.loc["calm", runs_table.DOUBT]) == []


def test_where_no_run_is_in_doubt_there_is_no_such_column(put, opened):
    put("calm", busy=0.3)

    assert runs_table.DOUBT not in opened("runs").dataframe[0].value
