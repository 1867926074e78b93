"""The search behind compared runs, where one launch made them all. Draws what is known of that launch."""

from core.lineup import Lineup
from pages.parts import live_search, stored_launch


def show(line: Lineup) -> None:
    """Its way and its edge; nothing where the runs are of several launches, or of none that searched."""
    runs = [entry.run for contender in line.contenders for entry in contender.entries]
    told = [run.experiment or {} for run in runs]
    experiment = told[0].get("id")
    if isinstance(experiment, str) and all(one.get("id") == experiment and one.get("search") for one in told):
        live_search.show(stored_launch.searched_by(experiment))
