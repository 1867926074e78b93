"""One llama.cpp server in this process: loads a model file, prints its address, ends with its stdin. Knows no variant.

    python -m core.servers.engine_child MODEL.gguf --alias NAME --slots 4 --context 2048 --batch 512

Everything the native library says goes to stderr, where the parent keeps the last of it.
"""

import argparse
import os
import signal
import sys
import threading
from collections.abc import Sequence
from pathlib import Path
from typing import Any


def options_of(arguments: Sequence[str] | None) -> argparse.Namespace:
    """What to serve and how."""
    parser = argparse.ArgumentParser(prog="core.servers.engine_child", description="Serve one model with llama.cpp.")
    parser.add_argument("model", type=Path)
    parser.add_argument("--alias", required=True, help="the model's name in requests")
    parser.add_argument("--slots", type=int, default=4, help="requests worked on at a time")
    parser.add_argument("--context", type=int, default=2048, help="tokens in each slot")
    parser.add_argument("--batch", type=int, default=512, help="most prompt tokens in a step")
    return parser.parse_args(arguments)


def serve(options: argparse.Namespace) -> Any:
    """A server that listens, its model loaded. Raises RuntimeError where the file cannot be loaded."""
    # Before the library loads: a waiting thread that spins takes the core from the one that measures.
    os.environ["OMP_WAIT_POLICY"] = "passive"
    os.environ["OMP_NUM_THREADS"] = "1"
    import xllamacpp  # noqa: PLC0415 -- after the environment is set

    parameters = xllamacpp.CommonParams()
    parameters.model.path, parameters.model_alias = str(options.model), {options.alias}
    parameters.hostnames, parameters.port = ["127.0.0.1"], 0
    parameters.n_parallel, parameters.n_ctx = options.slots, options.slots * options.context
    parameters.n_batch = parameters.n_ubatch = options.batch
    parameters.verbosity = 2  # warnings and errors: a line a request would cost time while others measure
    parameters.n_gpu_layers, parameters.fit_params, parameters.ui = 0, False, False
    parameters.cpuparams.n_threads = parameters.cpuparams_batch.n_threads = 1
    parameters.cors_origins = "http://127.0.0.1"  # a web page of elsewhere has no business here
    parameters.endpoint_metrics = parameters.endpoint_slots = parameters.endpoint_props = True
    return xllamacpp.Server(parameters)


def end_with_stdin() -> None:
    """Leave when the parent is gone, whatever the library is doing."""
    while os.read(0, 4096):
        pass
    os._exit(0)


def main(arguments: Sequence[str] | None = None) -> None:
    """Serve until stdin closes."""
    options = options_of(arguments)
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is the parent's: it closes stdin when it has finished
    watcher = threading.Thread(target=end_with_stdin, daemon=True)
    watcher.start()
    answers = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)  # native code prints where it likes: the first line of stdout is the address and nothing else
    try:
        server = serve(options)
    except (ImportError, RuntimeError) as fault:
        sys.stderr.write(f"{fault}\n")
        sys.stderr.flush()
        os._exit(1)  # the library's threads would keep the process
    answers.write(f"{server.listening_address}\n")
    answers.flush()
    watcher.join()


if __name__ == "__main__":
    main()
