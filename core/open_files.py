"""The system's limit of open files: every stream needs a socket. Knows nothing else."""

import contextlib
import resource

MOST = 65_536


def allow_many_sockets() -> None:
    """Raise the limit of open files as far as the system lets us; some systems start with 256."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = MOST if hard == resource.RLIM_INFINITY else min(hard, MOST)
    if soft < wanted:
        with contextlib.suppress(ValueError, OSError):
            resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))
