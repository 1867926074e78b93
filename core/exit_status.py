"""How a process ended, in words. Knows the numbers that the system gives; starts and ends nothing."""

import signal

from core.words import say


def how_it_ended(status: int) -> str:
    """`ended with status 3`, `was ended by signal 9 (killed)`."""
    if status >= 0:
        return say("ended with status {status}", status=status)
    known = -status in signal.valid_signals()
    name = (signal.strsignal(-status) or "").lower() if known else ""
    return say("was ended by signal {n}", n=-status) + (f" ({name})" if name else "")
