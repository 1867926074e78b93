"""A low limit of open files is raised as far as the system lets us."""

import subprocess
import sys

ASK = """
import resource
from core.open_files import allow_many_sockets
resource.setrlimit(resource.RLIMIT_NOFILE, (64, resource.getrlimit(resource.RLIMIT_NOFILE)[1]))
allow_many_sockets()
print(*resource.getrlimit(resource.RLIMIT_NOFILE))
"""


def test_a_low_limit_is_raised_to_what_is_allowed():
    done = subprocess.run([sys.executable, "-c", ASK], capture_output=True, text=True, check=True)
    soft, hard = map(int, done.stdout.split())

    assert soft == min(hard, 65_536) or (hard < 0 and soft == 65_536)
