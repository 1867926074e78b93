"""How a run's plan, client and environment are told."""

import dataclasses
import re

from core.run import Preflight
from pages.parts.run_background import PREFLIGHT
from tests.pages.seen import made


def test_everything_that_a_preflight_keeps_has_words():
    assert set(PREFLIGHT) == {spec.name for spec in dataclasses.fields(Preflight)}


def test_the_environment_is_told_in_words_and_units_and_strange_keys_stay_words(services, opened):
    run, _ = made("r1")
    environment = {"memory_bytes": 16_773_468_160, "cpu": "EPYC", "cores": 2048, "odd_key": "[a](b)", "server": {}}
    services.runs.run_started(run)
    services.runs.run_ended(dataclasses.replace(run, environment=environment, preflight=Preflight(usage=True)))

    page = opened("run", run="r1")

    rows = {
        row["What"]: row["Value"] for table in page.table for row in table.value.to_dict("records") if "What" in row
    }
    assert rows["memory"] == r"16\.8 GB"
    assert rows["processor"] == "EPYC"
    assert rows["cores"] == r"2\,048"
    assert rows[r"odd\_key"] == r"\[a\]\(b\)"
    assert rows["token counts at the end of a stream"] == "yes"
    assert not [name for name in rows if re.search("memory.bytes|max tokens obeyed", name)]
