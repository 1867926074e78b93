"""The tables, as numbered migrations that are applied once each. Knows no value.

No index and no foreign key: DuckDB would rewrite rows to keep them. One writer thread keeps ids unique instead.
A published migration is never changed; a new need is a new number at the end.
"""

from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

import duckdb

from core.words import say
from storage.problems import ForeignDatabase, SchemaTooNew
from storage.writer import transaction

RUNS = """
CREATE TABLE runs (
  no INTEGER NOT NULL, id VARCHAR NOT NULL, name VARCHAR NOT NULL, state VARCHAR NOT NULL, stopped_by VARCHAR,
  message VARCHAR, started_at TIMESTAMPTZ NOT NULL, ended_at TIMESTAMPTZ, tags VARCHAR[] NOT NULL,
  notes VARCHAR NOT NULL, granularity VARCHAR NOT NULL,
  producer VARCHAR NOT NULL, experiment VARCHAR, plan VARCHAR NOT NULL, environment VARCHAR NOT NULL,
  client VARCHAR NOT NULL, preflight VARCHAR,
  experiment_id VARCHAR, experiment_name VARCHAR, configuration_id VARCHAR NOT NULL, label VARCHAR NOT NULL,
  slot INTEGER NOT NULL, model VARCHAR NOT NULL, engine VARCHAR NOT NULL, endpoint VARCHAR NOT NULL,
  demo VARCHAR NOT NULL, concurrency INTEGER NOT NULL)
"""

REQUESTS = """
CREATE TABLE requests (
  run_no INTEGER NOT NULL, ordinal INTEGER NOT NULL, request_id VARCHAR NOT NULL, place INTEGER NOT NULL,
  worker INTEGER NOT NULL, warmup BOOLEAN NOT NULL, conversation INTEGER, turn INTEGER,
  scheduled_s DOUBLE, sent_s DOUBLE, first_token_s DOUBLE, first_answer_s DOUBLE, last_token_s DOUBLE, ended_s DOUBLE,
  connect_s DOUBLE, input_tokens BIGINT, requested_input_tokens BIGINT, output_tokens BIGINT,
  requested_output_tokens BIGINT, reasoning_tokens BIGINT, cached_tokens BIGINT, token_source VARCHAR NOT NULL,
  finish_reason VARCHAR, failure_kind VARCHAR, failure_message VARCHAR, failure_status INTEGER,
  failure_retry_after_s DOUBLE, server_reported BOOLEAN NOT NULL, server_prefill_s DOUBLE, server_decode_s DOUBLE,
  streamed BOOLEAN NOT NULL, reads INTEGER NOT NULL, outcome VARCHAR NOT NULL, chunks INTEGER NOT NULL,
  definitions_version INTEGER NOT NULL, ttft_s DOUBLE, ttfa_s DOUBLE, tpot_s DOUBLE, e2e_s DOUBLE, slip_s DOUBLE,
  decode_tps DOUBLE, e2e_tps DOUBLE, chunks_are_tokens BOOLEAN)
"""

# DuckDB writes a list column's whole vector of 2048 rows into its log with every small append, hundreds of times the
# data of a live run. So the requests of a live run wait here, an Arrow stream a commit, and go on in large batches.
JOURNAL = """CREATE TABLE journal (
  run_no INTEGER NOT NULL, first_ordinal INTEGER NOT NULL, number INTEGER NOT NULL, chunks BIGINT NOT NULL,
  records BLOB NOT NULL)"""
CHUNKS = "CREATE TABLE chunks (run_no INTEGER NOT NULL, ordinal INTEGER NOT NULL, chunk_us INTEGER[] NOT NULL)"
TEXTS = "CREATE TABLE texts (run_no INTEGER NOT NULL, ordinal INTEGER NOT NULL, text VARCHAR, reasoning_text VARCHAR)"

DISTRIBUTIONS = """
CREATE TABLE distributions (
  run_no INTEGER NOT NULL, definitions_version INTEGER NOT NULL, metric VARCHAR NOT NULL, count BIGINT NOT NULL,
  mean DOUBLE, stdev DOUBLE, min DOUBLE, p50 DOUBLE, p90 DOUBLE, p95 DOUBLE, p99 DOUBLE, max DOUBLE,
  grid DOUBLE[] NOT NULL)
"""

SUMMARIES = """
CREATE TABLE summaries (
  run_no INTEGER NOT NULL, definitions_version INTEGER NOT NULL, ok INTEGER NOT NULL, success_rate DOUBLE,
  ttft_p50_s DOUBLE, ttft_p99_s DOUBLE, tpot_p50_s DOUBLE, decode_tps DOUBLE, output_tokens_per_s DOUBLE,
  gap_grid FLOAT[] NOT NULL, sparkline FLOAT[] NOT NULL, timeline_start_s DOUBLE,
  timeline_step_s DOUBLE NOT NULL, output FLOAT[] NOT NULL, in_flight FLOAT[] NOT NULL, facts VARCHAR NOT NULL)
"""

# As core.metrics: only what was streamed has a first token, and a span that runs backwards was not observed.
SCHEDULED_LATENCIES = """
UPDATE requests SET
  scheduled_ttft_s = CASE WHEN streamed AND first_token_s >= scheduled_s THEN first_token_s - scheduled_s END,
  scheduled_e2e_s = CASE WHEN last_token_s >= scheduled_s THEN last_token_s - scheduled_s END
WHERE scheduled_s IS NOT NULL
"""

LIBRARY = (
    """CREATE TABLE endpoints (name VARCHAR NOT NULL, saved_at TIMESTAMPTZ NOT NULL, endpoint VARCHAR NOT NULL,
    probe VARCHAR, probed_at TIMESTAMPTZ)""",
    """CREATE TABLE configurations (id VARCHAR NOT NULL, slot INTEGER NOT NULL, label VARCHAR NOT NULL,
    saved_at TIMESTAMPTZ NOT NULL, configuration VARCHAR NOT NULL)""",
    "CREATE TABLE plans (name VARCHAR NOT NULL, saved_at TIMESTAMPTZ NOT NULL, plans VARCHAR NOT NULL)",
    "CREATE TABLE calibrations (taken_at TIMESTAMPTZ NOT NULL, calibration VARCHAR NOT NULL)",
    "CREATE TABLE settings (key VARCHAR NOT NULL, value VARCHAR NOT NULL)",
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Migration:
    """One step from one version of the tables to the next."""

    number: int
    what: str
    statements: tuple[str, ...]


MIGRATIONS = (
    Migration(
        number=1,
        what="runs, requests and the library",
        statements=(RUNS, REQUESTS, JOURNAL, CHUNKS, TEXTS, DISTRIBUTIONS, SUMMARIES, *LIBRARY),
    ),
    Migration(
        number=2,
        what="a series that no page shows",
        statements=("ALTER TABLE summaries DROP COLUMN in_flight",),
    ),
    Migration(
        number=3,
        what="summaries that do not tell who counted the tokens are derived again",
        statements=("DELETE FROM summaries WHERE NOT contains(facts, '\"token_source\"')",),
    ),
    Migration(
        number=4,
        what="runs at a rate, and latencies from their schedule",
        statements=(
            "ALTER TABLE runs ALTER COLUMN concurrency DROP NOT NULL",
            "ALTER TABLE runs ADD COLUMN rate DOUBLE",
            "ALTER TABLE requests ADD COLUMN scheduled_ttft_s DOUBLE",
            "ALTER TABLE requests ADD COLUMN scheduled_e2e_s DOUBLE",
            SCHEDULED_LATENCIES,
            # Imported open loops have a schedule already: their summaries are derived again, with what is new.
            "DELETE FROM summaries WHERE run_no IN (SELECT run_no FROM requests WHERE scheduled_s IS NOT NULL)",
        ),
    ),
    Migration(
        number=5,
        what="saved workloads, and prompts as long as they were made",
        statements=(
            """CREATE TABLE workloads (name VARCHAR NOT NULL, version INTEGER NOT NULL,
            saved_at TIMESTAMPTZ NOT NULL, workload VARCHAR NOT NULL)""",
            "ALTER TABLE runs ADD COLUMN workload VARCHAR",
            "ALTER TABLE requests ADD COLUMN sent_input_tokens BIGINT",
        ),
    ),
)


def migrate(connection: duckdb.DuckDBPyConnection, path: Path, migrations: tuple[Migration, ...] = MIGRATIONS) -> int:
    """Apply what is missing, each step all or nothing, and return the version. The caller owns the file."""
    done = _version(connection, path)
    newest = migrations[-1].number
    if done > newest:
        raise SchemaTooNew(
            say(
                "{path} was written by a later Paceline (tables {done}, this one knows {newest}): update Paceline, or "
                "set PACELINE_DB to another file.",
                path=path,
                done=done,
                newest=newest,
            )
        )
    for migration in migrations:
        if migration.number > done:
            with transaction(connection):
                for statement in migration.statements:
                    connection.execute(statement)
                connection.execute(
                    "INSERT INTO migrations VALUES (?, ?, ?)", [migration.number, migration.what, datetime.now(UTC)]
                )
            connection.execute("CHECKPOINT")
    return newest


def _version(connection: duckdb.DuckDBPyConnection, path: Path) -> int:
    tables = {name for (name,) in connection.execute("SELECT table_name FROM duckdb_tables()").fetchall()}
    if "migrations" not in tables:
        if tables:
            raise ForeignDatabase(
                say("{path} holds other tables than Paceline's: set PACELINE_DB to another file.", path=path)
            )
        connection.execute(
            "CREATE TABLE migrations (number INTEGER NOT NULL, what VARCHAR NOT NULL, applied_at TIMESTAMPTZ NOT NULL)"
        )
        return 0
    found = connection.execute("SELECT coalesce(max(number), 0) FROM migrations").fetchall()
    return int(found[0][0])
