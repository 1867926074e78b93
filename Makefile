# The one door: each target prepares .venv first if anything is missing or changed, and does nothing twice.
PYTHON =
PORT ?= 8501
BUILD =
ADDRESS ?= 127.0.0.1
WORKERS = 2
# Two files at once, in the order of the folders: the browser's, which wait most, come first.
TESTS = -n $(WORKERS) --dist loadfile --no-loadscope-reorder --cov --cov-report=term:skip-covered
SETUP = PYTHON="$(PYTHON)" BUILD="$(BUILD)" sh .ci/python.sh .ci/setup.py
PY = .venv/bin/python

help:
	@echo "make run        set up what is missing, start Paceline and print its address (PORT=8501)"
	@echo "make setup      the set-up alone: .venv, the pinned packages, the demo model (PYTHON=/path/to/python3.12 chooses one)"
	@echo "make check      format, lint, types, import contracts and the tests without a browser"
	@echo "make test       all of that and the browser tests; what CI runs"
	@echo "make test-long  the full built-in comparison, all rounds of kill -9, browser tests by hand, a large run, benches"
	@echo "make clean      remove .venv and the tools' caches; data/ stays"

setup:
	@$(SETUP) app

run: setup
	@exec $(PY) .ci/start.py --port "$(PORT)" --address "$(ADDRESS)"

check: static
	@$(PY) -m pytest -m "not browser and not long" $(TESTS)

static:
	@$(SETUP) app test
	@$(PY) -m ruff format --check .
	@$(PY) -m ruff check .
	@$(PY) -m mypy
	@$(PY) -m mypy .ci/*.py
	@$(PY) -c "from importlinter.cli import lint_imports_command as lint; lint()" --no-logo

# The checks that need no test run beside the browser's tests, which wait a good part of their time.
test:
	@$(SETUP) app test
	@PACELINE_BROWSER="$$($(PY) .ci/browser.py)" && export PACELINE_BROWSER && \
	{ $(MAKE) --no-print-directory static > .static.log 2>&1 & static=$$!; \
	$(PY) -m pytest -m "not long" $(TESTS); tests=$$?; \
	wait $$static || { cat .static.log; exit 1; }; exit $$tests; }

test-long:
	@$(SETUP) app test
	@PACELINE_BROWSER="$$($(PY) .ci/browser.py)" && export PACELINE_BROWSER && \
	$(PY) -m pytest -m long -s && \
	for bench in decode storage memory live_page; do echo "== $$bench"; $(PY) -m tests.bench.bench_$$bench || exit 1; done

clean:
	rm -rf .venv .static.log .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache .coverage .coverage.*

.PHONY: help setup run check static test test-long clean
