"""`cli.py run` as a person types it: a real process against a real, paced server."""

import json
import os
import shlex
import signal
import socket
import subprocess
import sys
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from core import runfile
from core.plan import Configuration, Endpoint, Load, RunPlan, Workload
from core.reproduce import plan_file
from core.servers.builtin import simulated_configuration
from core.servers.paced_child import PacedServer

ROOT = Path(__file__).parents[3]
NOT_NEEDED = ("openai", "streamlit", "plotly", "duckdb", "numpy", "httpx", "transformers", "pyarrow")


@pytest.fixture(scope="module")
def server():
    with PacedServer() as running:
        yield running


@pytest.fixture(autouse=True)
def own_lock(tmp_path, monkeypatch):
    monkeypatch.setenv("PACELINE_LOCK", str(tmp_path / "lock"))


def configuration(server) -> Configuration:
    endpoint = Endpoint(name="e", base_url=server.base_url, key_name="LAB_KEY")
    return Configuration(id="c", label="c", model="m", endpoint=endpoint)


def cli(*words: str, **environ: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "cli.py", *words],
        cwd=ROOT, env=os.environ | environ, capture_output=True, text=True, timeout=60, check=False,
    )  # fmt: skip


def run(server, *words: str, **environ: str) -> subprocess.CompletedProcess[str]:
    return cli(
        "run",
        "--base-url",
        server.base_url,
        "--model",
        "gt-ttft20000-itl1000",
        "--output-tokens",
        "20",
        *words,
        **environ,
    )


def test_levels_become_runs_of_one_file_and_rows_of_one_table(server, tmp_path):
    out = tmp_path / "run.json"
    done = run(server, "--concurrency", "1,3", "--requests", "6", "--out", str(out))
    runs = runfile.read(out)

    assert done.returncode == 0, done.stderr
    assert [(one.plan.load.concurrency, len(one.requests)) for one in runs] == [(1, 7), (3, 7)]
    assert "TTFT p50" in done.stdout
    assert "A tutorial script would print" in done.stdout
    assert str(out) in done.stdout
    assert json.loads(out.read_text())["format"] == "paceline-run"


def test_the_run_file_knows_what_answered(server, tmp_path):
    run(server, "--requests", "1", "--out", str(tmp_path / "a.json"))
    run(server, "--requests", "1", "--no-preflight", "--out", str(tmp_path / "b.json"))
    (asked,), (unasked,) = (json.loads((tmp_path / name).read_text())["runs"] for name in ("a.json", "b.json"))

    assert asked["environment"]["server"]["engine"] == "Paceline simulator"
    assert "engine" not in unasked["environment"].get("server", {})


def test_texts_are_written_only_if_asked_for(server, tmp_path):
    run(server, "--requests", "1", "--out", str(tmp_path / "a.json"))
    run(server, "--requests", "1", "--keep-text", "--out", str(tmp_path / "b.json"))

    assert "the model streams" not in (tmp_path / "a.json").read_text()
    assert "the model streams" in (tmp_path / "b.json").read_text()


def test_a_key_is_read_from_its_variable_and_written_nowhere(server, tmp_path):
    out = tmp_path / "run.json"
    done = run(server, "--requests", "1", "--api-key-env", "LAB_KEY", "--out", str(out), LAB_KEY="geheim-987")

    assert done.returncode == 0
    assert "geheim-987" not in out.read_text() + done.stdout + done.stderr


def test_a_missing_key_variable_is_one_sentence(server):
    done = run(server, "--api-key-env", "NO_SUCH_KEY")

    assert done.returncode == 2
    assert "NO_SUCH_KEY" in done.stderr
    assert "Traceback" not in done.stderr


def test_nobody_there_is_status_one_and_a_sentence():
    done = cli("run", "--base-url", "http://127.0.0.1:9/v1", "--model", "m")

    assert done.returncode == 1
    assert (done.stdout + done.stderr).count("127.0.0.1:9") == 1
    assert "Traceback" not in done.stderr


def test_bad_input_is_status_two_and_a_sentence(server):
    done = run(server, "--concurrency", "many")

    assert done.returncode == 2
    assert "Concurrency is 'many'" in done.stderr
    assert "Traceback" not in done.stderr


def test_a_file_that_cannot_be_written_is_noticed_before_anything_is_measured(server, tmp_path):
    before = len(server.rows())
    for out in (tmp_path / "none" / "run.json", tmp_path):
        done = run(server, "--requests", "1", "--out", str(out))

        assert done.returncode == 2
        assert str(out) in done.stderr
    assert len(server.rows()) == before


def test_a_full_disk_under_the_output_is_one_sentence(server):
    with Path("/dev/full").open("w") as full:
        done = subprocess.run(
            [sys.executable, "cli.py", "run", "--base-url", server.base_url, "--model", "gt-ttft20000-itl1000",
             "--output-tokens", "5", "--requests", "1"],
            cwd=ROOT, stdout=full, stderr=subprocess.PIPE, text=True, check=False,
        )  # fmt: skip

    assert done.returncode != 0
    assert "Traceback" not in done.stderr


def test_a_disk_that_fills_up_while_it_is_measured_is_one_sentence_beside_the_table(server, tmp_path):
    out = tmp_path / "run.json"
    out.write_text("before")
    words = [sys.executable, "cli.py", "run", "--base-url", server.base_url, "--model", "gt-ttft20000-itl1000",
             "--output-tokens", "20", "--requests", "3", "--out", str(out)]  # fmt: skip
    limited = f"ulimit -f 2; exec {shlex.join(words)}"  # 2 KB a file: as good as full
    done = subprocess.run(["sh", "-c", limited], cwd=ROOT, capture_output=True, text=True, check=False)

    assert done.returncode == 1
    assert f"{out} cannot be written" in done.stderr
    assert "TTFT p50" in done.stdout
    assert [path.name for path in tmp_path.iterdir() if path.suffix == ".json"] == ["run.json"]
    assert out.read_text() == "before"


def test_ctrl_c_while_a_model_file_is_made_ends_at_once_and_leaves_nothing(tmp_path):
    cache = tmp_path / "cache"
    with subprocess.Popen(
        [sys.executable, "cli.py", "demo", "--short"],
        cwd=ROOT, env=os.environ | {"PACELINE_CACHE": str(cache)}, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
        start_new_session=True, text=True,
    ) as process:  # fmt: skip
        while not list(cache.glob(".*.part")):
            assert process.poll() is None
            time.sleep(0.05)
        asked_s = time.monotonic()
        os.killpg(process.pid, signal.SIGINT)
        _, told = process.communicate(timeout=20)
        took_s = time.monotonic() - asked_s
    left = subprocess.run(["ps", "-eo", "sess,stat,args"], capture_output=True, text=True, check=True).stdout
    alive = [line for line in left.splitlines() if line.split()[0] == str(process.pid) and "Z" not in line.split()[1]]

    assert process.returncode == 130
    assert "Stopped before the server was ready." in told
    assert alive == []
    assert [path.name for path in cache.iterdir() if ".part" in path.name] == []
    assert took_s < 10  # one second on a quiet machine


def test_ctrl_c_keeps_what_was_measured(server, tmp_path):
    out = tmp_path / "run.json"
    words = ["run", "--base-url", server.base_url, "--model", "gt-ttft20000-itl5000", "--output-tokens", "20",
             "--requests", "5000", "--out", str(out)]  # fmt: skip
    with subprocess.Popen(
        [sys.executable, "cli.py", *words],
        cwd=ROOT,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        start_new_session=True,
    ) as process:
        answered = len(server.rows()) + 8
        while len(server.rows()) < answered and process.poll() is None:
            time.sleep(0.05)  # a person who has not yet seen enough
        os.killpg(process.pid, signal.SIGINT)  # as a terminal does: to the whole group
        process.communicate(timeout=20)
    (kept,) = runfile.read(out)

    assert kept.state == "cancelled"
    assert len(kept.requests) > 3
    assert process.returncode == 130


def test_ctrl_c_in_a_calibration_is_status_130_without_a_trace():
    with subprocess.Popen(
        [sys.executable, "cli.py", "calibrate", "--quick"], cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
        start_new_session=True, text=True,
    ) as process:  # fmt: skip
        begun = process.stderr.readline()  # its first level
        os.killpg(process.pid, signal.SIGINT)
        _, told = process.communicate(timeout=20)

    assert "tokens/s" in begun
    assert process.returncode == 130
    assert "Traceback" not in told


def test_a_plan_file_cannot_make_a_variable_leave_for_its_own_address(server, tmp_path):
    plan = RunPlan(configuration=configuration(server))
    path = tmp_path / "plan.json"
    path.write_bytes(plan_file([plan]))
    done = cli("run", "--plan", str(path), LAB_KEY="geheim-987", PACELINE_SECRETS=str(tmp_path / "secrets.toml"))

    assert done.returncode == 2
    assert "LAB_KEY" in done.stderr
    assert "Traceback" not in done.stderr


def test_a_key_from_a_variable_does_not_go_with_a_plan_file(server, tmp_path):
    path = tmp_path / "plan.json"
    path.write_bytes(plan_file([RunPlan(configuration=configuration(server))]))
    done = cli("run", "--plan", str(path), "--api-key-env", "LAB_KEY", LAB_KEY="geheim-987")

    assert done.returncode == 2
    assert "--base-url" in done.stderr


def test_a_run_whose_measured_requests_all_failed_is_status_one(tmp_path):
    with ThreadingHTTPServer(("127.0.0.1", 0), WarmUpOnly) as refusing:
        threading.Thread(target=refusing.serve_forever, daemon=True).start()
        base_url = f"http://127.0.0.1:{refusing.server_port}"
        done = cli(
            "run", "--base-url", base_url, "--model", "m", "--requests", "3", "--out", str(tmp_path / "run.json")
        )
        refusing.shutdown()
    (kept,) = runfile.read(tmp_path / "run.json")

    assert [request.outcome for request in kept.requests if request.warmup] == ["ok"]
    assert done.returncode == 1


class WarmUpOnly(BaseHTTPRequestHandler):
    """Answers what comes first, as preflight and warm-up do, and fails from then on."""

    protocol_version = "HTTP/1.1"
    answered = 0

    def do_GET(self):
        self.send_error(404)

    def do_POST(self):
        self.rfile.read(int(self.headers["Content-Length"]))
        measured = "-r" in self.headers["X-Request-Id"]
        body = b"boom" if measured else b'data: {"choices":[{"delta":{"content":"a"},"finish_reason":"stop"}]}\n\n'
        self.send_response(500 if measured else 200)
        self.send_header("Content-Type", "text/plain" if measured else "text/event-stream")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        pass


def test_a_plan_of_a_built_in_endpoint_runs_from_its_file(tmp_path):
    plan = RunPlan(
        configuration=simulated_configuration(0, "gt-ttft20000-itl1000"),
        workload=Workload(input_tokens=8, output_tokens=10),
        load=Load(requests=2),
    )
    path, out = tmp_path / "plan.json", tmp_path / "run.json"
    path.write_bytes(plan_file([plan]))
    done = cli("run", "--plan", str(path), "--out", str(out))

    assert done.returncode == 0, done.stderr
    assert len(runfile.read(out)[0].requests) == 3


def test_a_whole_run_of_one_configuration_has_loaded_nothing_heavy(server):
    words = ["run", "--base-url", server.base_url, "--model", "gt-ttft20000-itl1000", "--requests", "3"]
    looked_for = (*NOT_NEEDED, "orjson")  # that one is needed: its absence would say that nothing is seen
    script = (
        "import atexit, runpy, sys\n"
        f"atexit.register(lambda: print([name for name in {looked_for!r} if name in sys.modules]))\n"
        f"sys.argv = ['cli.py', *{words!r}]\n"
        "runpy.run_path('cli.py', run_name='__main__')\n"
    )

    done = subprocess.run([sys.executable, "-c", script], cwd=ROOT, capture_output=True, text=True, check=False)

    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines()[-1] == "['orjson']"


@pytest.mark.parametrize("after_s", [0.05, 0.1, 0.15, 0.2])
def test_ctrl_c_while_the_command_loads_is_status_130_without_a_trace(after_s):
    with socket.create_server(("127.0.0.1", 0)) as silent:
        words = ["run", "--base-url", f"http://127.0.0.1:{silent.getsockname()[1]}/v1", "--model", "m"]
        script = (  # the interpreter's own start is over: what is stopped is the loading of ours
            "import os, signal, sys, threading\n"
            f"threading.Timer({after_s}, os.kill, (os.getpid(), signal.SIGINT)).start()\n"
            f"import cli\nsys.exit(cli.main({words!r}))\n"
        )
        told = subprocess.run([sys.executable, "-c", script], cwd=ROOT, capture_output=True, text=True, check=False)

    assert told.returncode == 130, told.stderr
    assert "Traceback" not in told.stderr
