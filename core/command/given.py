"""The parser of `cli.py`: says what is wrong, and knows which options were typed. Knows no option's meaning."""

import argparse
from collections.abc import Collection, Sequence
from typing import Any, NoReturn

from core.plan import PlanError
from core.words import say

GIVEN = "given"  # where a parsed command line keeps the options that were typed


class Parser(argparse.ArgumentParser):
    """Says what is wrong and where all options are listed, instead of listing them."""

    def error(self, message: str) -> NoReturn:
        """End with status 2."""
        words = say("{what}. See: {command} --help", what=message.removeprefix("argument "), command=self.prog)
        self.exit(2, f"{self.prog}: {words}\n")

    def parse_known_args(self, args: Sequence[str] | None = None, namespace: Any = None) -> Any:  # type: ignore[override]
        """As argparse does, with the options that were typed: a value that is the default may have been typed, too."""
        found, strange = super().parse_known_args(args, namespace)
        if args is not None:
            flags = [f"--{name.replace('_', '-')}" for name in vars(found) if name != GIVEN]
            setattr(found, GIVEN, _typed(args, flags))
        return found, strange


def _typed(words: Sequence[str], flags: Collection[str]) -> tuple[str, ...]:
    """Those of the flags that stand among the words, which argparse has understood: so a beginning tells which."""
    heads = [word.partition("=")[0] for word in words if word.startswith("--")]
    typed = {next((flag for flag in flags if flag.startswith(head)), "") for head in heads if head not in flags}
    return tuple(flag for flag in flags if flag in typed or flag in heads)


def require_only(options: argparse.Namespace, beside: Collection[str], what: str) -> None:
    """Nothing but these may have been typed beside `what`, which says the rest. Raises PlanError."""
    idle = [flag for flag in getattr(options, GIVEN, ()) if flag != what and flag not in beside]
    if idle:
        raise PlanError(say("{what} says this already: leave out {idle}.", what=what, idle=", ".join(idle)))


def unreadable_option(words: Sequence[str]) -> str:
    """Which option has bytes that are no text, by its name as its value may be a secret; "" if none has.

    They could be neither measured nor shown: a plan travels and is kept as JSON.
    """
    option = ""
    for place, word in enumerate(words, start=1):
        head = word.partition("=")[0]
        if word.startswith("--") and _is_text(head):
            option = head
        if not _is_text(word):
            return option or say("argument {n}", n=place)
    return ""


def _is_text(word: str) -> bool:
    try:
        word.encode()
    except UnicodeEncodeError:
        return False
    return True
