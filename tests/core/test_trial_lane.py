"""One growing answer: its times by a clock that is passed in, its bounds, its ends."""

import pytest

from core.keys import key_from_environment
from core.plan import Endpoint
from core.trial_lane import Contestant, Lane, TrialState


class Clock:
    """A clock that is set by hand."""

    def __init__(self):
        self.now = 100.0

    def __call__(self):
        return self.now


def lane(clock: Clock, **kwargs) -> Lane:
    target = Endpoint(name="lab", base_url="http://127.0.0.1:8000/v1")
    return Lane(Contestant(label="a", endpoint=target, model="m"), prompt="Hello", clock=clock, **kwargs)


def test_times_count_from_the_last_request_and_its_wait_from_the_call_of_the_sdk():
    clock = Clock()
    one = lane(clock)
    assert one.begin(lambda: None)
    one.asking()
    one.sending()
    clock.now = 100.75
    one.asking()
    clock.now = 101.0
    one.sending()
    clock.now = 101.5
    one.add("a", "")
    clock.now = 103.5
    one.add("b", "")
    one.count(11)
    clock.now = 104.0
    one.end()
    clock.now = 200.0

    view = one.view()

    assert (view.ttft_s, view.elapsed_s) == (0.5, 3.25)
    assert (view.tokens_per_s, view.chunks_per_s) == (5.0, 0.5)
    assert (view.state, view.text) == (TrialState.DONE, "ab")


def test_a_growing_answer_has_a_speed_once_it_has_lasted_a_moment():
    clock = Clock()
    one = lane(clock)
    one.sending()
    one.add("a", "")
    clock.now += 0.001
    one.add("b", "")

    assert one.view().chunks_per_s is None

    clock.now += 0.999
    one.add("c", "")
    assert one.view().chunks_per_s == 2.0


def test_before_the_call_there_are_no_times():
    view = lane(Clock()).view()

    assert (view.state, view.ttft_s, view.elapsed_s, view.tokens_per_s) == (TrialState.WAITING, None, None, None)


def test_one_chunk_has_no_speed_however_many_tokens_were_counted():
    one = lane(Clock())
    one.sending()
    one.add("all of it", "")
    one.count(50)

    assert one.view().tokens_per_s is None


def test_text_and_thinking_share_the_room():
    one = lane(Clock(), most_characters=10)

    assert one.add("abcdef", "gh")
    assert not one.add("ijkl", "mnop")
    view = one.view()

    assert (view.text, view.reasoning) == ("abcdefij", "gh")
    assert view.note == "Cut after 10 characters."


def test_cancelling_shuts_the_connection_once_and_nothing_is_added_after():
    shut = []
    one = lane(Clock())
    one.begin(lambda: shut.append(1))
    one.sending()
    one.add("a", "")

    one.cancel()
    one.cancel()

    assert shut == [1]
    assert not one.add("b", "")
    one.end("an error that is only the echo of the cancel")
    assert (one.view().state, one.view().text, one.view().error_sentence) == (TrialState.CANCELLED, "a", "")


def test_a_cancelled_lane_does_not_begin():
    one = lane(Clock())

    one.cancel()

    assert not one.begin(lambda: None)


def test_the_key_is_in_no_text():
    one = lane(Clock())
    one.key = key_from_environment("K", "http://127.0.0.1:8000/v1", {"K": "sk-1234"})
    one.add("sk-", "sk-1234")
    one.add("1234", "")
    one.end("it said sk-1234")

    assert "sk-1234" not in repr(one.view())


def test_a_placeholder_for_a_key_cuts_no_word_to_pieces():
    for value in ("e", "none", "test"):
        one = lane(Clock())
        one.key = key_from_environment("K", "http://127.0.0.1:8000/v1", {"K": value})
        one.add("nonetheless the greatest", "")
        one.end("untested")

        assert (one.view().text, one.view().error_sentence) == ("nonetheless the greatest", "untested")


class Late:
    """A watch that says what it is told to."""

    def __init__(self, late_s=0.0, busy_share=None):
        self.late_s, self.busy_share, self.before_s = late_s, busy_share, None

    def anew(self):
        """Begin at nothing."""
        self.before_s, self.late_s = self.late_s, 0.0


def answered(clock, watch):
    one = lane(clock)
    one.watch = watch
    one.sending()
    clock.now += 0.2
    one.add("a", "")
    return one


@pytest.mark.parametrize(
    ("late_s", "busy_share", "held_up"),
    [(0.0, None, False), (0.009, 0.5, False), (0.019, 0.5, False), (0.021, 0.5, True), (0.0, 0.95, True)],
)
def test_times_of_a_machine_that_was_held_up_are_known_as_such(late_s, busy_share, held_up):
    watch = Late()
    one = answered(Clock(), watch)
    watch.late_s, watch.busy_share = late_s, busy_share

    assert one.view().held_up is held_up


def test_what_was_late_before_the_request_left_does_not_count():
    watch = Late(late_s=2.0)

    assert not answered(Clock(), watch).view().held_up
    assert watch.before_s == 2.0


def test_before_there_is_a_time_nothing_is_said_of_it():
    one = lane(Clock())
    one.watch = Late(late_s=2.0)

    assert not one.view().held_up
