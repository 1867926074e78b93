"""Chosen runs laid out to be compared: configurations by loads, repeats pooled, one configuration the baseline.

Loads are of one kind: requests in flight and requests/s are no levels of each other, so runs of the other kind than the
baseline's stand aside. Knows what belongs together and what sets it apart; never decides who is better, never draws,
never reads a store.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from core.cells import Cell, Entry
from core.endpoint import SIMULATED
from core.load import Variable, level_words
from core.plan import Configuration, RunPlan, Workload
from core.repeats import paired
from core.shortening import distinct
from core.words import say

__all__ = ("Cell", "Contender", "Entry", "Lineup", "lineup")
BRIEF = 40  # letters of a name in a table or a line of text
SLOTS = 8  # colours; more lines than these cannot be told apart


@dataclass(frozen=True, slots=True, kw_only=True)
class Contender:
    """One configuration of the comparison, with one line and one colour.

    Attributes:
        key: Stands for it in links: the configuration's id, with the experiment's where it appears twice.
        name: Its label, with what sets it apart where two share one.
        brief: The name cut for tables, still different from every other's.
        cells: Level -> what was measured there, ascending.
    """

    key: str
    name: str
    brief: str
    slot: int
    configuration: Configuration
    workload: Workload
    cells: Mapping[float, Cell]

    @property
    def simulated(self) -> bool:
        """Whether its times are made up by the paced simulator."""
        return self.configuration.endpoint.demo == SIMULATED

    @property
    def title(self) -> str:
        """Its name, marked where its times are made up."""
        return say("{name} (simulated)", name=self.name) if self.simulated else self.name

    @property
    def levels(self) -> list[float]:
        """Its loads, ascending."""
        return sorted(self.cells)

    @property
    def entries(self) -> list[Entry]:
        """All its runs."""
        return [entry for level in self.levels for entry in self.cells[level].entries]


@dataclass(frozen=True, slots=True, kw_only=True)
class Lineup:
    """Everything chosen, the baseline first named.

    Attributes:
        variable: What all levels count: requests in flight, or requests/s.
        aside: Runs of the other kind of load, which no level of these can be held against.
    """

    contenders: tuple[Contender, ...]
    baseline: Contender
    variable: Variable = "concurrency"
    aside: tuple[Entry, ...] = ()

    def words(self, level: float) -> str:
        """A level as people read it: `4 in flight`, `2.5 requests/s`."""
        return level_words(self.variable, level)

    @property
    def others(self) -> list[Contender]:
        """All but the baseline."""
        return [contender for contender in self.contenders if contender is not self.baseline]

    @property
    def levels(self) -> list[float]:
        """Every load of any configuration, ascending."""
        return sorted({level for contender in self.contenders for level in contender.cells})

    @property
    def common_levels(self) -> list[float]:
        """Loads at which at least two configurations were measured; all of them if there are none such."""
        shared = [v for v in self.levels if sum(v in contender.cells for contender in self.contenders) > 1]
        return shared or self.levels

    @property
    def pairs(self) -> int:
        """How many pairs of runs that took turns stand behind what is said of a load, where most do; 0 without."""
        base = self.baseline.cells
        found = (
            len(paired(base[level].turns, cell.turns))
            for other in self.others
            for level, cell in other.cells.items()
            if level in base
        )
        most = max(found, default=0)
        return most if most > 1 else 0

    @property
    def single(self) -> bool:
        """Whether nothing was measured more than once."""
        return all(len(cell.entries) == 1 for contender in self.contenders for cell in contender.cells.values())


def lineup(entries: Sequence[Entry], *, baseline: str = "", date: Callable[[datetime], str]) -> Lineup:
    """Lay out at least one run. Repeats are runs of one configuration, workload, load and experiment.

    The same configuration from two experiments stays one line while no load was measured twice, else it becomes two,
    told apart by their dates. `baseline` is a contender's key, a configuration's id or a run's id, whose first run says
    which kind of load is compared.
    """
    variable = _variable(entries, baseline)
    groups = _merged(_grouped([entry for entry in entries if entry.run.plan.load.variable == variable]))
    contenders = tuple(_contenders(groups, date))
    aside = tuple(entry for entry in entries if entry.run.plan.load.variable != variable)
    return Lineup(contenders=contenders, baseline=_baseline(contenders, baseline), variable=variable, aside=aside)


def _variable(entries: Sequence[Entry], baseline: str) -> Variable:
    for entry in entries:
        key, run_id = entry.run.plan.configuration.id, entry.run.id
        if baseline in (key, run_id, f"{key}@{run_id}"):
            return entry.run.plan.load.variable
    return entries[0].run.plan.load.variable


def _grouped(entries: Sequence[Entry]) -> list[list[Entry]]:
    groups: dict[object, list[Entry]] = {}
    for entry in entries:
        experiment = (entry.run.experiment or {}).get("id") or entry.run.id
        groups.setdefault((_identity(entry), experiment), []).append(entry)
    return list(groups.values())


def _identity(entry: Entry) -> tuple[object, ...]:
    # The address is left out: the demo servers get a new port each time.
    configuration = entry.run.plan.configuration
    return (
        configuration.id, configuration.model, configuration.settings, configuration.endpoint.api,
        repr(entry.run.plan.workload.comparable), _shape(entry.run.plan),
    )  # fmt: skip


def _merged(groups: list[list[Entry]]) -> list[list[Entry]]:
    merged: list[list[Entry]] = []
    for group in groups:
        same = next(
            (m for m in merged if _identity(m[0]) == _identity(group[0]) and not _levels(m) & _levels(group)), None
        )
        if same is None:
            merged.append(list(group))
        else:
            same.extend(group)
    return merged


def _levels(entries: Sequence[Entry]) -> set[float]:
    return {entry.run.plan.load.value for entry in entries}


def _contenders(groups: Sequence[Sequence[Entry]], date: Callable[[datetime], str]) -> list[Contender]:
    labels = [group[0].run.plan.configuration.label for group in groups]
    names = _unique([_name(group, label, labels, groups, date) for group, label in zip(groups, labels, strict=True)])
    keys = [group[0].run.plan.configuration.id for group in groups]
    slots = _slots([group[0].run.plan.configuration.slot for group in groups])
    return [
        Contender(
            key=key if keys.count(key) == 1 else f"{key}@{group[0].run.id}",
            name=name,
            brief=brief,
            slot=slot,
            configuration=group[0].run.plan.configuration,
            workload=group[0].run.plan.workload,
            cells=_cells(group),
        )
        for group, name, brief, key, slot in zip(groups, names, distinct(names, BRIEF), keys, slots, strict=True)
    ]


def _name(
    group: Sequence[Entry],
    label: str,
    labels: Sequence[str],
    groups: Sequence[Sequence[Entry]],
    date: Callable[[datetime], str],
) -> str:
    """The label; where two share it, with what sets them apart: lengths, model, shape of the load, else the date."""
    if labels.count(label) == 1:
        return label
    twins = [g[0].run.plan for g, other in zip(groups, labels, strict=True) if other == label]
    mine = group[0].run.plan
    for tell in (lambda plan: plan.lengths_in_words, lambda plan: plan.configuration.model, _shape):
        if len({tell(plan) for plan in twins}) == len(twins):
            return f"{label} · {tell(mine)}"
    return f"{label} · {date(group[0].run.started_at)}"


def _unique(names: Sequence[str]) -> list[str]:
    """Names are how a chart tells lines apart: a second of the same gets its number."""
    return [
        name if name not in names[:at] else f"{name} ({names[:at].count(name) + 1})" for at, name in enumerate(names)
    ]


def _shape(plan: RunPlan) -> str:
    """What beside its level makes a load another one: stages, and how requests arrive in open loop."""
    load = plan.load
    cap = "" if load.max_in_flight is None else say("at most {n:,} in flight", n=load.max_in_flight)
    arrivals = load.arrivals_words() if load.trace is None else load.trace.at_any_speed  # its speed is the level
    parts = [arrivals, cap, *(stage.words for stage in load.stages), load.restraint.words]
    return ", ".join(part for part in parts if part) or say("steady")


def _slots(wanted: Sequence[int]) -> list[int]:
    """Each its own colour for life; only one that is already taken here moves to a free one."""
    taken: set[int] = set()
    free = [slot for slot in range(SLOTS) if slot not in {w % SLOTS for w in wanted}]
    slots = []
    for want in wanted:
        slot = want % SLOTS
        if slot in taken and free:
            slot = free.pop(0)
        taken.add(slot)
        slots.append(slot)
    return slots


def _cells(group: Sequence[Entry]) -> dict[float, Cell]:
    found: dict[float, list[Entry]] = {}
    for entry in group:
        found.setdefault(entry.run.plan.load.value, []).append(entry)
    return {level: Cell(level=level, entries=tuple(found[level])) for level in sorted(found)}


def _baseline(contenders: Sequence[Contender], wanted: str) -> Contender:
    for contender in contenders:
        own = {contender.key, contender.configuration.id, *(entry.run.id for entry in contender.entries)}
        if wanted and wanted in own:
            return contender
    return contenders[0]
