"""What this machine can measure, found in the background against a server with exactly known times. Draws nothing."""

from dataclasses import dataclass
from datetime import datetime

from core.background import Job, Progress
from core.calibration import Calibration, CalibrationFailed, calibrate
from pages.parts import state

JOB = "calibration"


@dataclass(frozen=True, slots=True, kw_only=True)
class Last:
    """The last calibration and when it was made."""

    at: datetime
    found: Calibration


def start() -> None:
    """Calibrate, unless that is being done."""
    library = state.services().library

    def work(progress: Progress) -> Calibration:
        found = calibrate(progress=progress)
        library.save_calibration(found.to_dict())
        return found

    state.services().background.start(JOB, work, expected=(CalibrationFailed,))


def job() -> Job | None:
    """The calibration under way or just ended."""
    return state.services().background.find(JOB)


def last() -> Last | None:
    """The newest one that is kept."""
    kept = state.services().library.last_calibration()
    return Last(at=kept.at, found=Calibration.from_dict(kept.values)) if kept else None
