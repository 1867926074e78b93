"""Which options were typed, and one sentence where some must not be."""

import pytest

from core.command.given import Parser, require_only
from core.plan import PlanError


def parsed(*words):
    made = Parser(prog="x")
    for flag in ("--out", "--output-tokens", "--rate"):
        made.add_argument(flag, default="1")
    return made.parse_args(words)


@pytest.mark.parametrize(
    ("words", "typed"),
    [
        ([], ()),
        (["--out", "1"], ("--out",)),
        (["--output-tokens=1"], ("--output-tokens",)),
        (["--outp", "1", "--rate", "2"], ("--output-tokens", "--rate")),
    ],
)
def test_what_was_typed_is_known_in_full_even_where_it_is_the_default(words, typed):
    assert parsed(*words).given == typed


def test_what_must_not_stand_beside_another_is_named():
    require_only(parsed("--rate", "1", "--out", "1"), ["--out"], "--rate")

    with pytest.raises(PlanError, match="--rate says this already: leave out --output-tokens"):
        require_only(parsed("--rate", "1", "--output-tokens", "1"), ["--out"], "--rate")
