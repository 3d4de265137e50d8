# Two commands set everything up: `make try` and `make test`. They need Python 3.11 or newer, and make.

PYTHON ?= python3
BIN := .venv/bin
PIP := $(BIN)/python -m pip install --quiet --disable-pip-version-check

.PHONY: help try test test-all test-minecraft check format benchmarks studio site soak pictures versions replay numbers clean

SEED ?= 1
ACTIONS ?= 20000

help:
	@echo "make try         install shown, learn Nim from four demonstrations, play levels it has never seen"
	@echo "make studio      teach by showing, in the browser"
	@echo "make test        install what the tests need, check the code, run the tests (minutes)"
	@echo "make test-all    the same with the slow and exhaustive tests (half an hour)"
	@echo "make test-minecraft  install a Minecraft server (500 MB, once), play Fence In there, compare with the rules"
	@echo "make check       linter, formatting and types only"
	@echo "make benchmarks  measure speed on this machine"
	@echo "make site        the documentation as a web site, in build/site"
	@echo "make soak        a studio that is killed, and whose disk fills: ACTIONS=20000 SECONDS=600 SEED=1 (KILLS=0: may not grow)"
	@echo "make pictures    the studio's page in every state, both themes and three widths, in build/pictures"
	@echo "make replay      run stored results again and compare: ROWS=50 SEED=1, or ROWS=5 BY=method; NETWORKS=1 trains"
	@echo "make numbers     write the numbers of the documentation from the stored results"
	@echo "make versions    quick tests on every Python there is, with the lowest and the highest versions of the rest"

try: .venv/.core
	@echo
	@echo "Four demonstrations of Nim by the built-in expert; what did they mean?"
	@echo
	@mkdir -p build
	@$(BIN)/shown learn nim --levels train:0-3 --quiet --out build/nim.json
	@echo
	@echo "Nine levels nobody has shown it:"
	@echo
	@$(BIN)/shown evaluate build/nim.json --levels test

test: check chromium
	$(BIN)/python -m pytest -n auto

test-all: check chromium
	SHOWN_TESTS=all $(BIN)/python -m pytest -n auto -m ""

test-minecraft: .venv/.dev
	$(BIN)/python -m pytest -vv -s tests/evidence/real_minecraft.py

check: .venv/.dev
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

format: .venv/.dev
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

benchmarks: .venv/.dev
	$(BIN)/python benchmarks/engine.py
	$(BIN)/python benchmarks/studio.py

numbers: .venv/.dev
	$(BIN)/python -m shown_evidence.numbers

studio: .venv/.dev
	$(BIN)/shown studio

site: .venv/.dev
	NO_MKDOCS_2_WARNING=1 $(BIN)/python -m mkdocs build --quiet

soak: SECONDS ?= 600
soak: .venv/.dev
	PYTHONPATH=$(CURDIR)/tests $(BIN)/python -m soak --actions $(ACTIONS) --seconds $(SECONDS) --seed $(SEED) $(if $(KILLS),--kills $(KILLS))

pictures: .venv/.dev chromium
	PYTHONPATH=$(CURDIR)/tests $(BIN)/python -m pictures states build/pictures

replay: ROWS ?= 50
replay: .venv/.dev
	$(BIN)/shown results --replay $(ROWS) --seed $(SEED) $(if $(BY),--by $(BY)) $(if $(NETWORKS),--outcomes) $(if $(RELEASED),--released $(RELEASED))

versions:
	$(PYTHON) scripts/versions.py

.PHONY: chromium
chromium:
	@sh scripts/find-chromium.sh --install > /dev/null

.venv/bin/python:
	@$(PYTHON) -c 'import sys; sys.exit("shown needs Python 3.11 or newer; set PYTHON=…" if sys.version_info < (3, 11) else 0)'
	$(PYTHON) -m venv .venv

.venv/.core: .venv/bin/python pyproject.toml
	@echo "Installing shown into .venv (once) …"
	$(PIP) -e .
	@touch $@

.venv/.dev: .venv/bin/python pyproject.toml evidence/pyproject.toml constraints.txt
	@echo "Installing what the tests need into .venv (once) …"
	$(PIP) -c constraints.txt -e '.[dev]' -e 'evidence[minatar,ray]'
	@touch $@ .venv/.core

clean:
	rm -rf .venv build dist .mypy_cache .ruff_cache .hypothesis
