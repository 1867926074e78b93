"""Saved workloads: versions of a name, names told apart as people do, and which of them runs used."""

from dataclasses import replace
from datetime import timedelta

import pytest

from core.plan import RunPlan, Workload
from core.workload import LengthPair, Spread
from storage.library import Library
from storage.problems import NameEmpty, NameTaken, WorkloadNotFound
from storage.runs import RunStore
from tests.storage.made import STARTED, run

FULL = Workload(
    input_tokens=128, output_tokens=64,
    input_spread=Spread(shape="lognormal", low=16, high=900, stdev=40.5),
    output_spread=Spread(shape="uniform", low=32, high=96),
    language="chinese", system_prompt="Answer\nbriefly.", stream=False, temperature=None, ignore_eos=True,
    stop=("\n\n", "END"), extra_body={"top_p": 0.9}, nonce=False, seed=-7, keep_text=False,
)  # fmt: skip


@pytest.fixture
def workloads(database):
    return Library(database).workloads


def test_a_workload_comes_back_as_it_was_and_knows_where_it_is_from(workloads):
    kept = workloads.save(" chat ", FULL)
    pairs = Workload(pairs=(LengthPair(input_tokens=9, output_tokens=3, weight=0.5),))
    workloads.save("Agents", pairs)

    assert [one.name for one in workloads.newest()] == ["Agents", "chat"]
    assert workloads.newest()[1] == kept
    assert kept.workload == FULL
    assert (kept.workload.saved_name, kept.workload.saved_version) == ("chat", 1)
    assert workloads.newest()[0].workload == pairs


def test_a_change_is_a_new_version_and_the_older_ones_stay_readable(workloads):
    workloads.save("chat", FULL)
    second = workloads.save("chat", replace(FULL, seed=8), replaces="CHAT")
    same = workloads.save("chat", replace(second.workload), replaces="chat")

    assert (second.version, same.version) == (2, 2)
    assert [(one.version, one.workload.seed) for one in workloads.versions("Chat")] == [(2, 8), (1, -7)]
    assert len(workloads.newest()) == 1


def test_the_fields_of_where_it_is_from_are_no_change(workloads):
    first = workloads.save("chat", FULL)
    copy = workloads.save("copy", first.workload)

    assert (copy.workload.saved_name, copy.workload.saved_version) == ("copy", 1)
    assert workloads.save("copy", first.workload, replaces="copy").version == 1


def test_a_name_is_taken_whatever_its_letters_look_like(workloads):
    workloads.save("Chat", FULL)
    workloads.save("other", FULL)

    with pytest.raises(NameTaken, match="A workload is named chat already"):
        workloads.save("chat ", FULL)
    with pytest.raises(NameTaken):
        workloads.save("CHAT", FULL, replaces="other")
    with pytest.raises(NameEmpty):
        workloads.save(" \n ", FULL)
    with pytest.raises(WorkloadNotFound, match="no workload gone"):
        workloads.save("gone", FULL, replaces="gone")
    with pytest.raises(WorkloadNotFound):
        workloads.versions("gone")


def test_what_runs_used_follows_a_new_name_and_ends_with_the_workload(database, workloads):
    runs = RunStore(database)
    kept = workloads.save("chat", FULL).workload
    workloads.save("idle", FULL)
    for name, asked, later in (("a", kept, 0), ("b", kept, 5), ("c", FULL, 9)):
        found = run(name, started_at=STARTED + timedelta(minutes=later))
        runs.run_started(replace(found, plan=RunPlan(configuration=found.plan.configuration, workload=asked)))

    assert workloads.last_used() == {"chat": STARTED + timedelta(minutes=5)}
    workloads.save("talk", kept, replaces="chat")
    assert workloads.last_used() == {"talk": STARTED + timedelta(minutes=5)}
    assert runs.run("b").plan.workload.saved_name == "chat"  # what it used then
    workloads.delete("TALK")
    assert workloads.last_used() == {}
    assert [one.name for one in workloads.newest()] == ["idle"]
    assert runs.run("b").plan.workload == FULL


def test_a_key_in_the_body_is_not_kept(workloads):
    kept = workloads.save("secret", Workload(extra_body={"api_key": "sk-0123456789abcdef0123", "top_k": 3}))

    assert kept.workload.extra_body == {"api_key": "…", "top_k": 3}


def test_what_a_later_rule_refuses_is_left_out_and_not_deleted(database, workloads):
    workloads.save("fine", FULL)
    database.write(
        lambda connection: connection.execute(
            "INSERT INTO workloads VALUES ('odd', 1, now(), ?)", ['{"input_tokens": 0}']
        )
    )

    assert [one.name for one in workloads.newest()] == ["fine"]
    with pytest.raises(NameTaken):
        workloads.save("odd", FULL)
