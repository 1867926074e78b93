"""Makes one quantization of a GGUF file, as a child process that tells its progress. Never knows who asked.

    python -m core.servers.quantize SOURCE TARGET Q4_0

One JSON line at a time: {"share": 0.4}, {"waiting": true} while another process makes the same file,
{"share": 1, "done": true} or {"fault": sentence}. Ends when its stdin closes. TARGET appears whole or not at all.
"""

import argparse
import contextlib
import fcntl
import json
import os
import signal
import sys
import threading
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

from core.servers.variants import describe, is_whole, note_path, part_name
from core.words import say

SKIPPED_KEYS = ("general.architecture", "general.file_type", "general.quantization_version")


def make(source: Path, target: Path, quantization: str, tell: Callable[[float], None]) -> None:
    """Write `target` and its note. The lock of its name is held."""
    for left in target.parent.glob(f".{target.name}.*.part*"):
        left.unlink(missing_ok=True)  # of a process that was ended: its lock is free
    note_path(target).unlink(missing_ok=True)
    part = target.with_name(part_name(target, os.getpid()))
    note_part = part.with_name(part.name + ".note")
    try:
        requantize(source, part, quantization, tell)
        _to_disk(part)
        note_part.write_text(json.dumps(describe(part)))
        _to_disk(note_part)
        part.replace(target)
        note_part.replace(note_path(target))  # last: a file without its note does not count
        _to_disk(target.parent)
    finally:
        part.unlink(missing_ok=True)
        note_part.unlink(missing_ok=True)


def requantize(source: Path, target: Path, quantization: str, tell: Callable[[float], None]) -> None:
    """Copy a GGUF file with its matrices in another type; one tensor in memory at a time."""
    import gguf  # noqa: PLC0415 -- heavy: only when something is really made
    import numpy as np  # noqa: PLC0415 -- the same
    from gguf.quants import dequantize, quantize  # noqa: PLC0415 -- the same

    wanted = gguf.GGMLQuantizationType[quantization]
    reader = gguf.GGUFReader(source)
    writer = gguf.GGUFWriter(target, reader.fields["general.architecture"].contents())
    _copy_keys(reader, writer, gguf)
    writer.add_file_type(int(gguf.LlamaFileType[f"MOSTLY_{quantization}"]))
    writer.add_quantization_version(gguf.GGML_QUANT_VERSION)
    kinds = [tensor.tensor_type if _is_small(tensor) else wanted for tensor in reader.tensors]
    for tensor, kind in zip(reader.tensors, kinds, strict=True):
        block, block_bytes = gguf.GGML_QUANT_SIZES[kind]
        size = int(tensor.n_elements) // block * block_bytes
        writer.add_tensor_info(tensor.name, tensor.shape[::-1].tolist(), np.dtype(np.float32), size, raw_dtype=kind)
    try:
        writer.write_header_to_file()
        writer.write_kv_data_to_file()
        writer.write_ti_data_to_file()
        done, total = 0, sum(int(tensor.n_elements) for tensor in reader.tensors)
        for tensor, kind in zip(reader.tensors, kinds, strict=True):
            same = kind == tensor.tensor_type
            data = tensor.data if same else quantize(dequantize(tensor.data, tensor.tensor_type), kind)
            writer.write_tensor_data(data)
            done += int(tensor.n_elements)
            tell(done / total)
    finally:
        writer.close()


def _is_small(tensor: Any) -> bool:
    """Norms and biases stay as they are: they are tiny, and the engine wants them exact."""
    return tensor.tensor_type.name == "F32" or len(tensor.shape) < 2


def _copy_keys(reader: Any, writer: Any, gguf: Any) -> None:
    for key, field in reader.fields.items():
        if not key.startswith("GGUF.") and key not in SKIPPED_KEYS:
            kind = field.types[0]
            inner = field.types[-1] if kind == gguf.GGUFValueType.ARRAY else None
            writer.add_key_value(key, field.contents(), kind, inner)


def _to_disk(path: Path) -> None:
    handle = os.open(path, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


@contextlib.contextmanager
def only_one(target: Path, waiting: Callable[[], None]) -> Iterator[None]:
    """Hold the lock of a file's name, over all processes; it is freed even if this one is killed."""
    target.parent.mkdir(parents=True, exist_ok=True)
    with target.with_suffix(".lock").open("w") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            waiting()
            fcntl.flock(lock, fcntl.LOCK_EX)
        yield


def say_line(**row: object) -> None:
    """One JSON line for the parent."""
    sys.stdout.write(json.dumps(row) + "\n")
    sys.stdout.flush()


def end_with_stdin() -> None:
    """Leave at once when the parent is gone; the system frees the lock, the next maker removes the part."""

    def wait() -> None:
        while os.read(0, 4096):
            pass
        os._exit(1)

    threading.Thread(target=wait, daemon=True).start()


def main(arguments: Sequence[str] | None = None) -> None:
    """Make one file, or say in one sentence why not."""
    parser = argparse.ArgumentParser(prog="core.servers.quantize", description="Make one quantization of a GGUF file.")
    parser.add_argument("source", type=Path)
    parser.add_argument("target", type=Path)
    parser.add_argument("quantization")
    options = parser.parse_args(arguments)
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is the parent's: it closes stdin
    end_with_stdin()
    try:
        with only_one(options.target, lambda: say_line(waiting=True)):
            if not is_whole(options.target):  # another process may have made it meanwhile
                make(options.source, options.target, options.quantization, lambda share: say_line(share=share))
        say_line(share=1.0, done=True)
    except ImportError as fault:
        say_line(fault=say("A package is missing ({fault}): run `make setup`.", fault=fault))
    except OSError as fault:
        sentence = (
            "{name} cannot be kept in {folder} ({reason}): free some space or set PACELINE_CACHE to another folder."
        )
        reason, folder = fault.strerror or say("the disk is full"), options.target.parent  # numpy gives no reason
        say_line(fault=say(sentence, name=options.quantization, folder=folder, reason=reason))


if __name__ == "__main__":
    main()
