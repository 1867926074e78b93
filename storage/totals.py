"""Counts, throughput and times of a whole run, by SQL. Agrees with core.summary on every case."""

from dataclasses import dataclass
from typing import Any

import duckdb

from core.records import Outcome
from core.slo import SUCCESS_RATE, Slo
from core.summary import success_rate
from core.timeline import per_second

ANSWERED = "NOT warmup AND outcome = 'ok'"
SUMS = f"""
SELECT count(*) FILTER (warmup) AS warmup,
  {", ".join(f"count(*) FILTER (NOT warmup AND outcome = '{word}') AS {word}" for word in Outcome)},
  min(sent_s) FILTER (NOT warmup) AS first_s,
  max(ended_s) FILTER (NOT warmup AND sent_s IS NOT NULL) AS last_s,
  fsum(ended_s - sent_s) FILTER (NOT warmup) AS busy_s,
  avg(coalesce(chunks_are_tokens, false)::INTEGER) FILTER ({ANSWERED}) AS itl_share,
  count(*) FILTER ({ANSWERED} AND output_tokens IS NULL) AS without_output,
  count(*) FILTER ({ANSWERED} AND input_tokens IS NULL) AS without_input,
  coalesce(sum(output_tokens) FILTER ({ANSWERED}), 0) AS output_tokens,
  coalesce(sum(input_tokens) FILTER ({ANSWERED}), 0) AS input_tokens,
  count(scheduled_s) FILTER (NOT warmup) AS scheduled,
  max(scheduled_s) FILTER (NOT warmup) - min(scheduled_s) FILTER (NOT warmup) AS scheduled_within_s,
  count(sent_s) FILTER (NOT warmup) AS sent,
  max(sent_s) FILTER (NOT warmup) - min(sent_s) FILTER (NOT warmup) AS sent_within_s
FROM requests WHERE run_no = ?
"""  # noqa: S608 -- every name is ours

# As core.timeline.best_second: tokens of a request spread over its chunks, by the millisecond; without chunk times
# over its decoding.
BEST_SECOND = f"""
WITH answered AS (
  SELECT ordinal, streamed, first_token_s, output_tokens, chunks, sent_s, last_token_s,
    round_even(sent_s * 1e6, 0)::BIGINT AS sent_us
  FROM requests WHERE run_no = $no AND {ANSWERED} AND output_tokens > 0 AND sent_s IS NOT NULL
    AND last_token_s IS NOT NULL),
bare AS (
  SELECT sent_us, output_tokens, round_even((last_token_s - sent_s) * 1e6, 0)::BIGINT AS last_us,
    CASE WHEN streamed AND first_token_s IS NOT NULL
      THEN round_even((first_token_s - sent_s) * 1e6, 0)::BIGINT END AS first_us,
    CASE WHEN streamed AND first_token_s IS NOT NULL THEN least(output_tokens, 1000) ELSE 1 END AS number
  FROM answered WHERE chunks = 0),
invented AS (SELECT *, unnest(range(number)) AS place FROM bare),
arrivals AS (
  SELECT a.sent_us + unnest(c.chunk_us) AS at_us, a.output_tokens / a.chunks AS tokens
  FROM answered a JOIN chunks c ON c.ordinal = a.ordinal WHERE c.run_no = $no AND a.chunks > 0
  UNION ALL
  SELECT sent_us + CASE WHEN first_us IS NULL THEN last_us
    ELSE first_us + floor((last_us - first_us) * place / greatest(number - 1, 1))::BIGINT END, output_tokens / number
  FROM invented),
moments AS (SELECT floor(at_us / 1000)::BIGINT AS ms, sum(tokens) AS tokens FROM arrivals GROUP BY ms)
SELECT max(within) FROM (
  SELECT sum(tokens) OVER (ORDER BY ms RANGE BETWEEN 999 PRECEDING AND CURRENT ROW) AS within FROM moments)
"""  # noqa: S608 -- every name is ours


@dataclass(frozen=True, slots=True, kw_only=True)
class Totals:
    """The parts of core.summary.Summary that are one number a run."""

    throughput: dict[str, float | None]
    counts: dict[str, int]
    success_rate: float | None
    duration_s: float | None
    mean_in_flight: float | None
    itl_share: float | None


def totals(cursor: duckdb.DuckDBPyConnection, run_no: int, slo: Slo | None = None) -> Totals:
    """All of them for one run; goodput only with an SLO."""
    result = cursor.execute(SUMS, [run_no])
    names = [column[0] for column in result.description or ()]
    sums: dict[str, Any] = dict(zip(names, result.fetchall()[0], strict=True))
    duration_s = _duration_s(sums["first_s"], sums["last_s"])
    counts = {outcome.value: int(sums[outcome.value]) for outcome in Outcome} | {"warmup": int(sums["warmup"])}
    return Totals(
        throughput=_throughput(cursor, run_no, sums, duration_s)
        | {"goodput_per_s": None if slo is None else per_second(_good(cursor, run_no, slo), duration_s)},
        counts=counts,
        success_rate=success_rate(counts),
        duration_s=duration_s,
        mean_in_flight=(sums["busy_s"] or 0.0) / duration_s if duration_s else None,
        itl_share=sums["itl_share"],
    )


def _duration_s(first_s: float | None, last_s: float | None) -> float | None:
    if first_s is None or last_s is None or last_s <= first_s:
        return None
    return last_s - first_s


def _throughput(
    cursor: duckdb.DuckDBPyConnection, run_no: int, sums: dict[str, Any], duration_s: float | None
) -> dict[str, float | None]:
    output_tokens = None if sums["without_output"] else int(sums["output_tokens"])
    unknown = output_tokens is None or sums["without_input"]
    output = per_second(output_tokens, duration_s)
    return {
        "output_tokens_per_s": output,
        "total_tokens_per_s": per_second(
            None if unknown else int(sums["output_tokens"]) + int(sums["input_tokens"]), duration_s
        ),
        "requests_per_s": per_second(sums["ok"], duration_s),
        "offered_rate_per_s": per_second(sums["scheduled"] - 1, sums["scheduled_within_s"]),
        "achieved_rate_per_s": per_second(sums["sent"] - 1, sums["sent_within_s"]),
        "peak_output_tokens_per_s": None if output is None else max(output, _best_second(cursor, run_no)),
    }


def _good(cursor: duckdb.DuckDBPyConnection, run_no: int, slo: Slo) -> int:
    """As core.goodput.is_good: a metric that does not exist, NULL, keeps no limit."""
    limits = [limit for limit in slo.limits if limit.metric != SUCCESS_RATE]
    kept = "".join(f" AND {limit.metric} {limit.relation} ?" for limit in limits)
    found = cursor.execute(
        f"SELECT count(*) FROM requests WHERE run_no = ? AND {ANSWERED}{kept}",  # noqa: S608 -- names are checked by Slo
        [run_no, *(limit.value for limit in limits)],
    ).fetchall()
    return int(found[0][0])


def _best_second(cursor: duckdb.DuckDBPyConnection, run_no: int) -> float:
    found = cursor.execute(BEST_SECOND, {"no": run_no}).fetchall()
    return float(found[0][0] or 0.0)
