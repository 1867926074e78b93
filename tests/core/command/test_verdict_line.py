"""The verdict under the table of several configurations: the sentence of the pages, with what speaks against it."""

from dataclasses import replace

from core.command.verdict_line import verdict_lines
from core.course import Done
from core.run import ClientHealth
from core.summary import summarise
from tests.core.example_runs import answered, failed, plan, run

APART = 1.0  # seconds between requests


def done(name, *, gap=0.01, count=40, level=1, requests=None, **rest) -> Done:
    """A run of the configuration of this name."""
    of = plan(concurrency=level)
    of = replace(of, configuration=replace(of.configuration, id=name, label=name))
    requests = requests or [
        answered(index, sent=index * APART, gaps=(gap * (1 + index % 7 / 100),) * 9) for index in range(count)
    ]
    found = replace(run(requests, of=of, **rest), id=f"{name}{level}", name=name)
    return Done(run=found, summary=summarise(requests))


def test_two_configurations_get_the_sentence_of_the_pages():
    (told,) = verdict_lines([done("fast"), done("slow", gap=0.02)])

    assert told.startswith("Verdict: fast decodes fastest for one user")


def test_few_requests_name_no_winner():
    (told,) = verdict_lines([done("fast", count=1), done("slow", gap=0.02, count=1)])

    assert told.startswith("Verdict: Too few requests to say who decodes fastest for one user")


def test_a_busy_machine_puts_the_verdict_in_doubt_and_is_told():
    busy = ClientHealth(machine_busy_share=0.99)
    sentence, reasons = verdict_lines([done("fast", client=busy), done("slow", gap=0.02)])

    assert sentence.startswith("Verdict: In doubt: fast decodes fastest")
    assert reasons.startswith("This machine had no idle time while fast ran on it")


def test_one_configuration_has_no_verdict_and_neither_has_one_beside_another_that_answered_nothing():
    assert verdict_lines([done("alone", level=1), done("alone", level=4)]) == []
    assert verdict_lines([done("alone"), done("mute", requests=[failed(0)])]) == []
    assert verdict_lines([]) == []
