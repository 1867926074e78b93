"""What a host knows of its server only after a run goes into the run's environment."""

from core.fleet.hosting import with_served
from tests.core.example_runs import plan, run


class Late:
    """A host whose server was late."""

    def ready(self, asked, _say_progress):
        return asked, {}

    def served(self):
        return {"late_p99_s": 0.02}

    def release(self):
        pass


def test_it_stands_beside_what_was_known_before():
    seen = with_served(run(of=plan(demo="simulated")), Late())

    assert seen.environment["server"] == {"engine": "vLLM", "version": "0.32", "late_p99_s": 0.02}


def test_a_server_that_is_not_ours_is_not_asked():
    mine, theirs = run(of=plan(demo="simulated")), run(of=plan())

    assert with_served(theirs, Late()) is theirs
    assert with_served(mine, None) is mine
