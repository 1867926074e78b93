"""`cli.py calibrate`: how many tokens/s can this machine measure, and with what error? Prints a table and a verdict."""

import sys
from pathlib import Path

import orjson

from core.calibration import LEVELS, Calibration, CalibrationFailed, calibrate
from core.words import say

DASH = "–"
QUICK = 4
HEAD = ("streams", "offered", "kept", "TTFT error p50", "p99", "decode error p99", "loop lag p99", "priority")
UNITS = ("", "tok/s", "tok/s", "ms", "ms", "ms", "ms", "")
WIDTHS = (7, 9, 9, 15, 8, 17, 13, 10)


def calibrating(*, quick: bool, out: Path | None) -> int:
    """Calibrate and say what was found; exit status 0 if at least one level is within its bars."""
    shown = sys.stderr.isatty()

    def progress(share: float, words: str) -> None:
        line = f"{share:4.0%}  {words}"
        sys.stderr.write(f"\r\x1b[K{line}" if shown else f"{line}\n")
        sys.stderr.flush()

    try:
        found = calibrate(progress=progress, levels=LEVELS[:QUICK] if quick else LEVELS)
    except CalibrationFailed as fault:
        print(fault, file=sys.stderr)
        return 1
    if shown:
        sys.stderr.write("\r\x1b[K")
    print(table(found))
    print(say("The app keeps a calibration of its own: the page Endpoints makes one."))
    if out is not None:
        try:
            out.write_bytes(orjson.dumps(found.to_dict(), option=orjson.OPT_INDENT_2))
        except OSError as fault:
            print(say("{path} cannot be written: {fault}.", path=out, fault=fault.strerror or fault), file=sys.stderr)
            return 1
        print(say("Written: {path}", path=out))
    return 0 if found.best is not None else 1


def table(found: Calibration) -> str:
    """One row a level, the verdict below."""

    def ms(seconds: float | None) -> str:
        return DASH if seconds is None else f"{seconds * 1000:.2f}"

    lines = ["".join(cell.rjust(width) for cell, width in zip(row, WIDTHS, strict=True)) for row in (HEAD, UNITS)]
    for level in found.levels:
        cells = (
            str(level.streams), f"{level.offered_tokens_per_s:,.0f}", f"{level.kept_tokens_per_s:,.0f}",
            ms(level.ttft_error_p50_s), ms(level.ttft_error_p99_s), ms(level.span_error_p99_s),
            ms(level.loop_lag_p99_s), level.priority,
        )  # fmt: skip
        lines.append("".join(cell.rjust(width) for cell, width in zip(cells, WIDTHS, strict=True)))
        lines += [" " * WIDTHS[0] + f"  ! {words}" for words in level.misses]
    return "\n".join([*lines, found.verdict, *filter(None, [found.doubt])])
