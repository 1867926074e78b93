"""A database in a folder of its own for each test."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from storage.database import Database
from storage.runs import RunStore


@pytest.fixture
def database(tmp_path: Path) -> Iterator[Database]:
    with Database.open(tmp_path / "paceline.duckdb") as opened:
        yield opened


@pytest.fixture
def runs(database: Database) -> RunStore:
    return RunStore(database)
