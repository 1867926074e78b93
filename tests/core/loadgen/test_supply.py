"""Requests are made ahead, and one at a time while others are measured."""

import asyncio

from core.loadgen.prompts import Prompts, Shape
from core.loadgen.supply import Supply
from tests.core.loadgen.scripted import plan_for


class Counting(Prompts):
    """Prompts that count what was made."""

    made = 0

    def prepare(self, index, *, warmup=False):
        self.made += 1
        return super().prepare(index, warmup=warmup)


def supply():
    prompts = Counting(plan_for(80), tag="t", key_header=None, shape=Shape())
    return Supply(asyncio.get_running_loop(), prompts), prompts


async def test_what_is_taken_is_replaced_one_in_each_pass_of_the_loop():
    made, prompts = supply()
    made.begin(range(20), ahead=4, warmup=False)
    taken = [made.take() for _ in range(4)]
    counts = [prompts.made]
    for _ in range(5):
        await asyncio.sleep(0)
        counts.append(prompts.made)

    assert [one.index for one in taken] == [0, 1, 2, 3]
    assert counts == [4, 5, 6, 7, 8, 8]


async def test_all_are_handed_out_once_and_then_none():
    made, prompts = supply()
    made.begin(range(5), ahead=2, warmup=False)

    assert [one.index for _ in range(5) if (one := made.take())] == [0, 1, 2, 3, 4]
    assert made.take() is None
    await asyncio.sleep(0.01)
    assert made.take() is None
    assert prompts.made == 5


async def test_a_new_phase_begins_anew_and_a_stop_ends_it():
    made, _ = supply()
    made.begin(range(9), ahead=3, warmup=True)
    assert made.take().warmup
    made.begin(range(9), ahead=3, warmup=False)
    first = made.take()
    made.stop()

    assert (first.index, first.warmup) == (0, False)
    assert made.take() is None
