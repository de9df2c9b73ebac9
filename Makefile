# make report: run the main job on the bundled conversations and write a report to open
# make test | lint | notebooks | bench | bench-large | lab
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
STAMP := $(VENV)/.installed
RUN := runs/bilingual

.PHONY: report test lint notebooks bench bench-large lab install dev clean

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
	touch $@

clean:
	rm -rf $(VENV) runs build dist
