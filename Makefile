# Each target makes what it needs: the environment in .venv, then the program, then its test tools.
# A stamp file for each, so that the second time is instant; a changed pyproject.toml renews them.

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip --disable-pip-version-check --quiet
QUESTION ?= why is pathlib kept out of the command line?

.DEFAULT_GOAL := all
.PHONY: all run test lint types format docs bench bench-retrieval clean

all: lint types test

# The daemon, this repository in memory, and one question, to see that it works.
run: $(VENV)/.program
	@$(BIN)/hermes up
	@echo
	@echo '$$ hermes ask "$(QUESTION)"'
	@$(BIN)/hermes ask "$(QUESTION)" || test $$? -eq 3 # 3: nothing relevant, and said so
	@echo
	@echo 'Ask more: $(BIN)/hermes ask "…"    Stop it: $(BIN)/hermes down'

# What fails is run once more before it counts: .ci/tests.py says how. ARGS are given to pytest.
test: $(VENV)/.test
	@$(BIN)/python .ci/tests.py $(ARGS)

lint: $(VENV)/.dev
	@$(BIN)/ruff check
	@$(BIN)/ruff format --check
	@$(BIN)/lint-imports

types: $(VENV)/.dev
	@$(BIN)/mypy
	@$(BIN)/pyright --pythonpath $(BIN)/python

format: $(VENV)/.dev
	@$(BIN)/ruff check --fix
	@$(BIN)/ruff format

# docs/configuration.md from the settings, the help texts in docs/cli.md from the commands.
docs: $(VENV)/.program
	@$(BIN)/python -m hermes.surfaces.cli.pages docs

# REPO is the repository to read (at least 5,000 commits say most); this one without.
bench: $(VENV)/.test
	@echo 'the command line alone:'
	@$(BIN)/python -m hermes.tests.bench.cli
	@echo 'with a warm daemon:'
	@$(BIN)/python -m hermes.tests.bench.cli --real "$(or $(REPO),.)"
	@echo 'ingest against git alone:'
	@$(BIN)/python -m hermes.tests.bench.ingest "$(or $(REPO),.)"
	@echo 'whole ingest against a naive loop:'
	@$(BIN)/python -m hermes.tests.bench.whole "$(or $(REPO),.)"
	@echo 'recall as memory grows:'
	@$(BIN)/python -m hermes.tests.bench.recall --chunks 10000 100000
	@echo 'from a commit to an answer:'
	@$(BIN)/python -m hermes.tests.bench.fresh
	@echo 'a person beside 10,000 background jobs:'
	@$(BIN)/python -m hermes.tests.bench.load
	@echo 'what git hooks cost:'
	@$(BIN)/python -m hermes.tests.bench.hooks
	@echo 'what the shells pay for the brief:'
	@$(BIN)/python -m hermes.tests.bench.shell
	@echo 'watching 50,000 files:'
	@$(BIN)/python -m hermes.tests.bench.watch

bench-retrieval: $(VENV)/.test
	@test -n "$(REPO)" -a -n "$(QUERIES)" || \
	  { echo 'usage: make bench-retrieval REPO=path/to/clone QUERIES=questions.jsonl' >&2; exit 2; }
	@$(BIN)/python -m hermes.tests.bench.retrieval "$(REPO)" "$(QUERIES)"

clean:
	@rm -rf $(VENV) build dist *.egg-info .mypy_cache .pytest_cache .ruff_cache .import_linter_cache

$(VENV)/.python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
	  { echo "hermes needs Python 3.11 or newer; $(PYTHON) is $$($(PYTHON) -V 2>&1)." \
	         "Name a newer one: make PYTHON=python3.12" >&2; exit 1; }
	@echo "making the environment in $(VENV)"
	@$(PYTHON) -m venv $(VENV) || \
	  { echo "the venv module is missing (on Debian: apt install python3-venv)" >&2; exit 1; }
	@touch $@

$(VENV)/.program: $(VENV)/.python pyproject.toml
	@echo "installing hermes (LanceDB is large: the first time takes a minute or two)"
	@$(PIP) install --editable .
	@touch $@

$(VENV)/.test: $(VENV)/.program
	@echo "installing the test tools"
	@$(PIP) install --editable '.[test]'
	@touch $@

$(VENV)/.dev: $(VENV)/.test
	@echo "installing the linters"
	@$(PIP) install --editable '.[test,dev]'
	@touch $@
