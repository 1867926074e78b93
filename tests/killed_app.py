"""The app's handles without its pages: launches an experiment on the simulator and waits to be killed.

python -m tests.killed_app DATABASE BASE_URL
"""

import sys
import threading
from pathlib import Path

from core.fleet.registry import Registry
from storage.database import Database
from storage.runs import RunStore
from tests.killed import FACTS, experiment


def main() -> None:
    """Launch, then live until killed."""
    registry = Registry(RunStore(Database.open(Path(sys.argv[1]))), identify=lambda _: dict(FACTS))
    registry.launch(experiment(sys.argv[2]))
    threading.Event().wait()


if __name__ == "__main__":
    main()
