"""The one button that compares three quantizations of the bundled model, wherever it stands."""

import os

from streamlit.delta_generator import DeltaGenerator

from core.plan import Configuration
from core.run import ENDED_STATES
from core.servers import builtin
from core.words import say
from pages.parts import configuration_form, links, state

LENGTH_VARIABLE = "PACELINE_BUILTIN"  # "short" takes 30 s instead of 3 minutes


def button(place: DeltaGenerator, key: str, *, primary: bool = False) -> None:
    """Launches the built-in comparison and goes to watch it."""
    pressed = place.button(
        say("Run built-in comparison"),
        icon=":material/play_arrow:",
        type="primary" if primary else "secondary",
        key=key,
        help=say("Q4_0, Q8_0 and F16 of SmolLM2-135M at 1 and 4 streams on this machine, about 3 minutes."),
    )
    if pressed:
        launched = start()
        links.go("benchmark", view="live", experiment=launched)


def start() -> str:
    """Queue it, unless it is under way already; its id."""
    kind: builtin.Kind = "short" if os.environ.get(LENGTH_VARIABLE) == "short" else "full"
    kept = [add_variant(name) for name in builtin.COMPARED]
    experiment = builtin.builtin_experiment(kind, slots=[one.slot for one in kept])
    for one in state.services().registry.live():
        if one.name == experiment.name and one.state not in ENDED_STATES:
            return one.id
    return state.launch(experiment)


def add_variant(name: str) -> Configuration:
    """A variant of the bundled model among the configurations, with the colour it keeps."""
    slot = state.services().library.next_slot()
    return configuration_form.add(builtin.variant_configuration(name, slot))
