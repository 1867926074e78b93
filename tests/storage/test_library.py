"""What the user keeps comes back as it was, under names that are told apart as a person tells them apart."""

import dataclasses
import threading

import pytest

from core.plan import Experiment, Load, RunPlan, Workload
from storage.library import Library
from storage.problems import (
    ConfigurationNotFound,
    EndpointChanged,
    EndpointNotFound,
    NameEmpty,
    NameTaken,
    SecretInHeader,
)
from storage.run_values import dumps
from tests.core.experiments import EXPERIMENTS, same
from tests.storage.made import STARTED, configuration, endpoint, run

HOSTILE = [
    "'); DROP TABLE endpoints; --", '"quoted"', "a\0b", "\N{PILE OF POO} \N{RIGHT-TO-LEFT OVERRIDE}abc", "<b>x</b>",
    "../../etc/passwd", "%s %d {name}", "x" * 120,
]  # fmt: skip


def of(*plans):
    """What is launched: these runs at given levels."""
    return Experiment(id="e", name="e", plans=plans)


@pytest.fixture
def library(database):
    return Library(database)


def test_an_endpoint_comes_back_as_it_was(library):
    kept = endpoint("Spark", headers=(("X-Team", "research"),), key_name="LAB", verify=False, notes="in the cellar")
    library.save_endpoint(kept)

    assert library.endpoints() == [kept]
    assert library.endpoint(" spark ") == kept


@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_names_are_only_names(library, name):
    library.save_endpoint(endpoint(name))
    library.save_endpoint(endpoint("other"))
    library.save_configuration(configuration(name, label=name))
    library.save_plan(name, of(run().plan))
    library.set_setting(name, name)
    library.save_probe(name, {"what": name})

    assert library.endpoint(name).name == name
    assert library.configuration(name).label == name
    assert [saved.name for saved in library.plans()] == [name.strip()]
    assert library.setting(name) == name
    found = library.probe(name)
    assert found is not None
    assert found.values == {"what": name}
    library.delete_endpoint(name)
    assert [one.name for one in library.endpoints()] == ["other"]


@pytest.mark.parametrize("name", ["SPARK", "spark ", "ＳＰＡＲＫ"])  # noqa: RUF001 -- full-width on purpose
def test_a_name_is_taken_whatever_its_letters_look_like(library, name):
    library.save_endpoint(endpoint("Spark"))

    with pytest.raises(NameTaken, match="is named"):
        library.save_endpoint(endpoint(name))

    assert [one.name for one in library.endpoints()] == ["Spark"]


def test_an_endpoint_is_replaced_renamed_and_cloned(library):
    library.save_endpoint(endpoint("a"))
    library.save_endpoint(endpoint("A", notes="changed"), replaces="a")
    library.save_endpoint(dataclasses.replace(library.endpoint("a"), name="b"))

    assert [(one.name, one.notes) for one in library.endpoints()] == [("A", "changed"), ("b", "changed")]
    with pytest.raises(NameTaken):
        library.save_endpoint(endpoint("B"), replaces="a")
    library.save_endpoint(endpoint("c"), replaces="deleted meanwhile")
    assert [one.name for one in library.endpoints()] == ["A", "b", "c"]


def test_what_somebody_else_changed_meanwhile_is_not_written_over_unasked(library):
    mine = endpoint("a")
    library.save_endpoint(mine)
    library.save_endpoint(endpoint("a", notes="theirs"), replaces="a", was=mine)

    with pytest.raises(EndpointChanged, match="changed by somebody else"):
        library.save_endpoint(endpoint("a", notes="mine"), replaces="a", was=mine)
    with pytest.raises(EndpointChanged, match="no longer there"):
        library.save_endpoint(endpoint("b"), replaces="renamed", was=mine)

    assert [one.notes for one in library.endpoints()] == ["theirs"]


def test_an_unknown_endpoint_is_named(library):
    with pytest.raises(EndpointNotFound, match="no endpoint gone"):
        library.endpoint("gone")
    with pytest.raises(EndpointNotFound):
        library.save_probe("gone", {})
    library.delete_endpoint("gone")


def test_the_last_probe_is_kept_until_the_address_changes(library):
    library.save_endpoint(endpoint("a"))
    assert library.probe("a") is None
    library.save_probe("a", {"state": "first"})
    library.save_probe("A", {"state": "ready", "checks": [{"name": "models", "found": None}]})

    library.save_endpoint(endpoint("renamed", notes="other notes"), replaces="a")
    found = library.probe("renamed")
    assert found is not None
    assert found.values == {"state": "ready", "checks": [{"name": "models", "found": None}]}
    assert found.at.tzinfo is not None

    library.save_endpoint(endpoint("renamed", base_url="http://elsewhere:1"), replaces="renamed")
    assert library.probe("renamed") is None


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("Authorization", "Bearer abcdefgh"), ("api-key", "x"), ("X-API-Key", "x"), ("X-Auth-Token", "x"),
        ("Cookie", "a=b"), ("Ocp-Apim-Subscription-Key", "x"), ("X-Harmless", "Bearer abcdefghijkl"),
        ("X-Harmless", "sk-abcdefghijklmnop"),
    ],
)  # fmt: skip
def test_a_header_that_looks_like_a_key_is_refused(library, name, value):
    leaky = endpoint("a", headers=((name, value),))

    with pytest.raises(
        SecretInHeader, match=rf"Header {name} looks like a key, and keys are never saved: put it under"
    ):
        library.save_endpoint(leaky)
    with pytest.raises(SecretInHeader):
        library.save_configuration(configuration(endpoint=leaky))

    assert library.endpoints() == []
    assert library.configurations() == []


def test_a_key_pasted_elsewhere_is_hidden(library, database):
    key = "sk-abcdefghijklmnopqrstuvwxyz"
    noted = endpoint("a", notes=f"uses {key}")
    library.save_endpoint(noted)
    library.save_configuration(configuration(endpoint=noted))
    library.save_probe("a", {"what": f"Incorrect API key {key}"})
    library.save_plan("p", of(RunPlan(configuration=configuration(), workload=Workload(extra_body={"api_key": key}))))
    database.checkpoint()

    assert key.encode() not in database.path.read_bytes()


def test_configurations_come_back_in_the_order_of_their_slots(library):
    first, second = configuration("c1", slot=1, settings=(("kv", "fp8"),)), configuration("c2", slot=0, variant="Q4_0")
    library.save_configuration(first)
    library.save_configuration(second)

    assert library.configurations() == [second, first]


def test_a_slot_is_for_life_and_the_next_is_free(library, runs):
    assert library.next_slot() == 0
    library.save_configuration(configuration("c1", slot=0))
    library.save_configuration(configuration("c2", slot=1))
    library.save_configuration(configuration("c1", slot=9, label="renamed"))
    assert [(one.id, one.slot) for one in library.configurations()] == [("c1", 0), ("c2", 1)]
    assert library.next_slot() == 2

    library.delete_configuration("c1")
    assert library.next_slot() == 0

    runs.run_started(run(plan=RunPlan(configuration=configuration("c1", slot=0))))
    assert library.next_slot() == 2


def test_a_label_is_taken_once(library):
    library.save_configuration(configuration("c1", label="AWQ"))

    with pytest.raises(NameTaken, match="labelled awq already"):
        library.save_configuration(configuration("c2", label="awq"))

    with pytest.raises(ConfigurationNotFound):
        library.configuration("c2")


def test_a_change_of_an_endpoint_reaches_its_configurations(library):
    library.save_endpoint(endpoint("a"))
    library.save_configuration(configuration(endpoint=endpoint("a")))

    library.save_endpoint(endpoint("b", base_url="http://new:2"), replaces="A")
    assert library.configurations()[0].endpoint == endpoint("b", base_url="http://new:2")

    library.delete_endpoint("b")
    assert library.configurations()[0].endpoint.name == "b"


def test_plans_are_kept_by_name(library):
    plans = (run().plan, RunPlan(configuration=configuration("c2"), load=Load(concurrency=16, requests=5)))
    library.save_plan(" Sweep ", of(*plans))

    assert [saved.experiment.plans for saved in library.plans()] == [plans]
    with pytest.raises(NameTaken):
        library.save_plan("SWEEP", of(plans[0]))
    library.save_plan("SWEEP", of(plans[0]), replace=True)
    assert [(saved.name, len(saved.experiment.plans)) for saved in library.plans()] == [("SWEEP", 1)]
    with pytest.raises(NameEmpty):
        library.save_plan("  ", of(*plans))
    library.delete_plan("sweep")
    assert library.plans() == []


@pytest.mark.parametrize("kind", EXPERIMENTS)
def test_a_saved_plan_keeps_every_kind_of_experiment_whole(library, kind):
    library.save_plan("mine", EXPERIMENTS[kind])

    (saved,) = library.plans()

    assert same(saved.experiment, EXPERIMENTS[kind])
    assert saved.experiment.name == "mine"


def test_a_plan_that_was_saved_when_only_plans_were_is_still_there(library, database):
    plan = run().plan
    database.write(
        lambda connection: connection.execute(
            "INSERT INTO plans VALUES (?, ?, ?)", ["old", STARTED, dumps([plan.to_dict()])]
        )
    )

    (saved,) = library.plans()

    assert saved.experiment.plans == (plan,)
    assert not saved.experiment.is_adaptive


def test_the_last_calibration_is_the_newest(library):
    assert library.last_calibration() is None
    library.save_calibration({"tokens_per_s": 1})
    library.save_calibration({"tokens_per_s": 2, "levels": [1, 4]})

    found = library.last_calibration()
    assert found is not None
    assert found.values == {"tokens_per_s": 2, "levels": [1, 4]}


def test_settings_are_json_values(library):
    assert library.setting("theme") is None
    assert library.setting("theme", "light") == "light"
    for value in ("dark", {"a": [1, None]}, 0, False):
        library.set_setting("theme", value)
        assert library.setting("theme") == value


def test_what_a_later_rule_refuses_is_not_offered_and_not_lost(library, database):
    library.save_endpoint(endpoint("a"))
    library.save_configuration(configuration())
    library.save_plan("p", of(run().plan))
    for table in ("endpoints", "configurations", "plans"):
        column = {"endpoints": "endpoint", "configurations": "configuration", "plans": "plans"}[table]
        database.write(
            lambda connection, table=table, column=column: connection.execute(
                f"UPDATE {table} SET {column} = replace({column}, '\"chat\"', '\"telepathy\"')"
            )
        )

    assert (library.endpoints(), library.configurations(), library.plans()) == ([], [], [])
    with database.cursor() as cursor:
        assert cursor.execute("SELECT count(*) FROM endpoints").fetchall() == [(1,)]


def test_of_many_who_take_a_name_at_once_one_gets_it(library):
    taken = []

    def save():
        try:
            library.save_endpoint(endpoint("a"))
        except NameTaken:
            taken.append(1)

    threads = [threading.Thread(target=save) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert len(taken) == 7
    assert len(library.endpoints()) == 1
