"""The app around the pages: where it refuses to listen, and what a fault of a page looks like."""

import os
import subprocess
import sys
from pathlib import Path

from streamlit.testing.v1 import AppTest

from tests.running_app import free_port

ROOT = Path(__file__).parents[1]


def test_on_all_addresses_without_an_access_rule_it_refuses_to_start(tmp_path):
    address = "0.0.0.0"
    environment = {name: value for name, value in os.environ.items() if not name.startswith("PACELINE_")}
    ended = subprocess.run(
        [
            sys.executable,
            "-m",
            "streamlit",
            "run",
            "app.py",
            "--server.address",
            address,
            "--server.port",
            str(free_port()),
        ],
        cwd=ROOT,
        env=environment | {"PACELINE_DB": str(tmp_path / "x.duckdb")},
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )

    assert ended.returncode == 1
    assert f"does not listen on {address} without an access rule: set PACELINE_PASSWORD" in ended.stderr
    assert not (tmp_path / "x.duckdb").exists()


def fault():
    import streamlit as st

    from app import on_script_error

    st.write(on_script_error(ValueError("the secret of the traceback")))


def test_a_fault_of_a_page_is_one_sentence_with_an_id(caplog):
    page = AppTest.from_function(fault, default_timeout=60).run()

    sentence = page.markdown[0].value.replace("\\", "")
    assert page.markdown[1].value == "`True`"
    assert "This page could not be drawn (error " in sentence
    assert "secret" not in sentence
    error_id = sentence.partition("(error ")[2].partition(")")[0]
    assert error_id in caplog.text
