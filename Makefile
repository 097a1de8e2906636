# The course's commands. `make` alone lists them. Works with GNU make 3.81 (macOS) and newer, in a folder of any name.

.DEFAULT_GOAL := help
SHELL := /bin/sh
.SUFFIXES:
MAKEFLAGS += --no-builtin-rules --no-print-directory

PY := .venv/bin/python
BUILD := $$PWD/build

# Nobody's own settings reach the environment, the tests or the recorded notebooks. (Without compiled modules, each of the hundred
# programs that the tests start would compile pandas and matplotlib anew: minutes.)
unexport PYTHONPATH PYTHONHOME PYTHONDONTWRITEBYTECODE PYTHONPYCACHEPREFIX PIP_USER PIP_TARGET PIP_PREFIX PIP_REQUIRE_VIRTUALENV MPLBACKEND
export PYTHONNOUSERSITE := 1
export PYTHON

# A fixed place and language for everything that is compared.
FIXED := TZ=UTC LC_ALL=C.UTF-8 LANG=C.UTF-8 IPYTHONDIR="$(BUILD)/ipython" JUPYTER_CONFIG_DIR="$(BUILD)/jupyter/config" \
	JUPYTER_DATA_DIR="$(BUILD)/jupyter/data" JUPYTER_RUNTIME_DIR="$(BUILD)/jupyter/runtime" MPLCONFIGDIR="$(BUILD)/matplotlib"
WORKERS ?= 2
PYTEST := env $(FIXED) $(PY) -m pytest -q -p no:nbval -n $(WORKERS) --dist loadscope

# What takes long (a browser, a real JupyterLab, killed processes, made PDFs by the hundred, whole reports,
# whole recordings) waits for test-all.
SLOW := tests/slow tests/test_jupyter.py tests/test_index_kills.py tests/test_parsing_pdf_laws.py tests/test_parsing_many.py \
	tests/test_explorer.py tests/test_parsing_pdf_speed.py tests/test_bench.py tests/test_cli_own.py tests/test_own_reporting.py \
	tests/test_report_page.py tests/test_journal.py tests/test_recording.py tests/test_progress.py tests/test_figures.py \
	tests/test_own_tests.py tests/test_long_documents.py tests/test_northmark_forms.py

.PHONY: help lab test test-all record bench lint lock clean ready

help:
	@echo "make lab        open the lessons in JupyterLab (the first time, it installs what they need)"
	@echo "make test       check everything: code, lessons, recorded outputs (under 5 minutes)"
	@echo "make test-all   the same, and the lessons in a real browser (needs Chromium or Chrome)"
	@echo "make record     for authors: run every lesson and record its outputs"
	@echo "make bench      how fast reading, cutting, search and evaluation are, some beside other libraries"
	@echo "make lint       only the style of the code"
	@echo "make lock       for maintainers: write requirements.lock anew (newer versions: make lock ARGS=--upgrade)"
	@echo "make clean      remove .venv and what the tests leave (never your work)"
	@echo ""
	@echo "Another Python: make lab PYTHON=python3.12. More for JupyterLab: make lab ARGS='--port 8890'"

ready:
	@sh tools/setup.sh

lab: ready
	@$(PY) -m labkit open $(ARGS)

lint: ready
	@$(PY) -m ruff check .

test: lint
	@mkdir -p build
	@$(PYTEST) $(addprefix --ignore=,$(SLOW)) tests $(ARGS)

test-all: test
	@$(PYTEST) $(SLOW) $(ARGS)

record: ready
	@mkdir -p build
	@$(PY) tools/digests.py
	@env $(FIXED) $(PY) -m labkit.lessons.recording $(ARGS)
	@$(PY) -m labkit.lessons.guide
	@env $(FIXED) $(PY) tools/long_documents.py

bench: ready
	@$(PY) benchmarks/bench.py $(ARGS)

lock: ready
	@sh tools/lock.sh $(ARGS)

clean:
	rm -rf .venv build dist .pytest_cache .ruff_cache .hypothesis
