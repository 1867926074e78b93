"""What shall be measured: frozen values that refuse nonsense when they are made. Never knows a key's value."""

import re
from dataclasses import asdict, dataclass, field, fields, replace
from typing import Any, Self

from core.base_url import PlanError, normal_base_url, require
from core.endpoint import Api, Endpoint, Limits
from core.load import Load, Stage
from core.plan_checks import flag, members, number, text, whole
from core.restraint import Restraint
from core.search import Search, Sweep
from core.slo import Slo, SloLimit
from core.trace import Trace
from core.words import say
from core.workload import LengthPair, Spread, Workload
from core.workload_words import lengths_words

__all__ = (
    "Api",
    "Configuration",
    "Endpoint",
    "Experiment",
    "Limits",
    "Load",
    "PlanError",
    "RunPlan",
    "Slo",
    "Stage",
    "Sweep",
    "Workload",
    "normal_base_url",
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Configuration:
    """What answers: a model in some form at an endpoint.

    Attributes:
        settings: What sets it apart, as (name, value) pairs: quantization, slots, batch, hardware ...
        slot: Its colour and marker for life, 0-based.
        variant: A demo variant such as "Q4_0", None for an endpoint of the user's.
    """

    id: str
    label: str
    endpoint: Endpoint
    model: str
    settings: tuple[tuple[str, str], ...] = ()
    slot: int = 0
    variant: str | None = None

    def __post_init__(self) -> None:
        """Refuse nameless configurations."""
        text("id", self.id, 300)
        require(bool(self.id), "id is empty: give the configuration an id.")
        text("variant", self.variant, 100, none=True)
        require(0 < len(self.label.strip()) <= 120, "Label is empty or longer than 120 characters: shorten it.")
        require(
            0 < len(self.model.strip()) <= 300,
            "Model is empty or longer than 300 characters: write the name that the server lists.",
        )
        require(not re.search(r"[\x00-\x1f]", self.model), "Model contains a control character: remove it.")
        whole("slot", self.slot, 0, 1_000_000)


@dataclass(frozen=True, slots=True, kw_only=True)
class RunPlan:
    """One run: one configuration, one workload, one load, its limits."""

    configuration: Configuration
    workload: Workload = field(default_factory=Workload)
    load: Load = field(default_factory=Load)
    slo: Slo | None = None

    def __post_init__(self) -> None:
        """Refuse an SLO on what this workload cannot show."""
        if self.slo is not None:
            self.slo.require_measurable(streamed=self.workload.stream)

    @property
    def limits(self) -> Limits:
        """The limits that hold for this run: its endpoint's."""
        return self.configuration.endpoint.limits

    @property
    def lengths(self) -> tuple[float, float]:
        """Tokens of a prompt and of an answer as asked for, on average: the workload's, or those of a trace."""
        trace = self.load.trace
        return self.workload.mean_lengths if trace is None else trace.lengths

    @property
    def lengths_in_words(self) -> str:
        """They as people read them, with how they vary: `128 → 64`; of a trace its means."""
        if self.load.trace is None:
            return lengths_words(self.workload)
        return "{:,.0f} → {:,.0f}".format(*self.lengths)

    def to_dict(self) -> dict[str, Any]:
        """A JSON object without secrets; `from_dict` reads it back."""
        return asdict(self)

    @classmethod
    def from_dict(cls, found: dict[str, Any]) -> Self:
        """Read what `to_dict` wrote. Unknown keys are left out: later versions add some. Raises PlanError."""
        plan: Self = _read(cls, found)
        return plan


@dataclass(frozen=True, slots=True, kw_only=True)
class Experiment:
    """Configurations x loads of one workload, run one after the other, level by level over all configurations.

    Attributes:
        plans: In their order. For a search or a sweep one a configuration, whose level is replaced as it goes.
        search: Look for the highest level that keeps an SLO, instead of measuring given ones.
        sweep: Find the levels on the way, instead of measuring given ones.
        cooldown_s: Seconds of rest between two runs.
        skip_saturated: Once a level saturated a configuration, its higher levels are left out.
    """

    id: str
    name: str
    plans: tuple[RunPlan, ...]
    search: Search | None = None
    sweep: Sweep | None = None
    cooldown_s: float = 0.0
    skip_saturated: bool = False

    def __post_init__(self) -> None:
        """Refuse an experiment without a run, or with two ways to find its levels."""
        require(bool(self.plans), "Nothing to run: choose at least one configuration and one level.")
        require(self.search is None or self.sweep is None, "Choose either a search or a sweep.")
        if self.is_adaptive:
            self._check_adaptive()
        number("Cool-down", self.cooldown_s, 0, 3600)
        flag("Skip saturated", self.skip_saturated)

    def _check_adaptive(self) -> None:
        variable = self.search.variable if self.search is not None else "concurrency"
        require(
            all(plan.load.variable == variable for plan in self.plans),
            "The levels looked for and the load are of two kinds: both in flight, or both requests/s.",
        )
        require(
            all(plan.load.trace is None for plan in self.plans),
            "A trace has its own rate: no search and no sweep can move it.",
        )
        ids = {plan.configuration.id for plan in self.plans}
        require(len(ids) == len(self.plans), "A search or a sweep takes each configuration once: leave the others out.")
        if self.search is not None and not all(plan.workload.stream for plan in self.plans):
            self.search.slo.require_measurable(streamed=False)

    @property
    def is_adaptive(self) -> bool:
        """Whether its levels are found on the way, by a search or a sweep."""
        return self.search is not None or self.sweep is not None

    def beside_plans(self) -> dict[str, Any]:
        """All of it but its plans and its id, as a JSON object; `read_experiment` reads it back."""
        told = asdict(replace(self, plans=self.plans[:1]))  # all of them would be copied for nothing
        return {name: value for name, value in told.items() if name not in ("id", "plans")}


NESTED: dict[str, type] = {
    "configuration": Configuration, "endpoint": Endpoint, "workload": Workload, "load": Load, "limits": Limits,
    "slo": Slo, "search": Search, "sweep": Sweep, "trace": Trace, "restraint": Restraint, "input_spread": Spread,
    "output_spread": Spread,
}  # fmt: skip


TITLES = {
    "RunPlan": say("The run"), "SloLimit": say("The SLO's limit"), "Slo": say("The SLO"), "Limits": say("Limits"),
}  # fmt: skip


def _read(kind: Any, found: Any) -> Any:
    title = TITLES.get(kind.__name__, say("The {part}", part=kind.__name__.lower()))
    require(isinstance(found, dict), "{title} is not a JSON object: export the plan again.", title=title)
    members(kind, title, found)
    if kind is Load and found.get("concurrency") is not None:
        found = {**found, "stop_when_saturated": False}  # an earlier Paceline offered it there, where it does nothing
    values = {spec.name: _value(kind, spec.name, found[spec.name]) for spec in fields(kind) if spec.name in found}
    try:
        return kind(**values)
    except PlanError:
        raise
    except (TypeError, ValueError, AttributeError):  # its text would be Python's, and say nothing to a person
        raise PlanError(say("{title} has a value of the wrong kind: export the plan again.", title=title)) from None


def read_workload(found: Any) -> Workload:
    """A workload by itself, as a plan file has it. Raises PlanError."""
    made: Workload = _read(Workload, found)
    return made


def read_experiment(found: dict[str, Any], plans: tuple[RunPlan, ...], *, experiment_id: str) -> Experiment:
    """The experiment of these plans, with what a plan file tells about it beside them. Raises PlanError."""
    require(isinstance(found, dict), "The plan's “experiment” is not a JSON object: export the plan again.")
    name = found.get("name")
    told = {
        key: found[key] for key in ("search", "sweep", "cooldown_s", "skip_saturated") if found.get(key) is not None
    }
    values = {"id": experiment_id, "name": name if isinstance(name, str) and name else plans[0].configuration.label}
    made: Experiment = _read(Experiment, {**values, **told, "plans": plans})
    return made


OPTIONAL = ("slo", "search", "sweep", "trace", "input_spread", "output_spread")
LISTED: dict[tuple[str, str], type] = {
    ("Load", "stages"): Stage, ("Slo", "limits"): SloLimit,
    ("Workload", "pairs"): LengthPair,
}  # fmt: skip


def _value(kind: Any, name: str, value: Any) -> Any:
    if (kind.__name__, name) in LISTED:
        return tuple(_read(LISTED[kind.__name__, name], one) for one in value)
    if name in NESTED and not (value is None and name in OPTIONAL):
        return _read(NESTED[name], value)
    if name == "stop" and isinstance(value, list):
        return tuple(value)
    if name in ("headers", "settings"):
        return tuple(_pair(name, pair) for pair in value)
    return value


def _pair(what: str, pair: object) -> tuple[str, str]:
    if isinstance(pair, list | tuple) and len(pair) == 2:
        name, value = pair
        if type(name) is str and type(value) is str:
            return name, value
    raise PlanError(say('{what} has an entry that is no pair of texts: write it as ["name", "value"].', what=what))
