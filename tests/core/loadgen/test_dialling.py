"""What is being opened can be given up, all at once; what was opened is closed a few at a time."""

import asyncio

from core.loadgen.connection import Connection
from core.loadgen.dialling import CLOSES_AT_ONCE, Dialler, Dials, close_all
from core.records import Failure, FailureKind
from tests.core.loadgen.scripted import answers, plan_for, scripted


def dials_to(port: int) -> Dials:
    """To a server on this machine."""
    return Dials(Dialler(asyncio.get_running_loop(), plan_for(port).configuration.endpoint))


async def test_what_is_being_opened_is_given_up_at_once_and_nothing_is_opened_after():
    async with scripted(answers(b"")) as server:
        dials = dials_to(server.port)
        begun = dials.begin()
        waiting = [asyncio.ensure_future(dials.one()) for _ in range(3)]
        await asyncio.sleep(0)  # they have begun, and nothing is connected yet
        dials.stop()
        given_up = [*await asyncio.gather(*waiting), await dials.one()]
        await asyncio.wait((begun,))

    assert begun.cancelled()
    assert all(isinstance(one, Failure) and one.kind is FailureKind.CANCELLED for one in given_up)
    assert server.connections == 0


async def test_one_that_was_opened_is_no_longer_under_way():
    async with scripted(answers(b"")) as server:
        dials = dials_to(server.port)
        opened = await dials.one()
        dials.stop()

        assert isinstance(opened, Connection)
        assert opened.usable()
        opened.close()


async def test_many_are_closed_with_turns_of_the_loop_in_between():
    async with scripted(answers(b"")) as server:
        dials = dials_to(server.port)
        opened = [await dials.one() for _ in range(3 * CLOSES_AT_ONCE)]
        closed_at = []

        async def look():
            while True:
                closed_at.append(sum(not one.usable() for one in opened))
                await asyncio.sleep(0)

        looking = asyncio.ensure_future(look())
        await close_all(opened)
        looking.cancel()

    assert closed_at[:3] == [CLOSES_AT_ONCE, 2 * CLOSES_AT_ONCE, 3 * CLOSES_AT_ONCE]
