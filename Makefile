# Every target does its own set-up in .venv; a second run starts at once. `make help` lists the targets.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip --disable-pip-version-check --no-input
# One thread for the linear algebra library: the same bytes every time.
export OMP_NUM_THREADS := 1
export OPENBLAS_NUM_THREADS := 1
export PIP_ROOT_USER_ACTION := ignore

.PHONY: help demo test soak bench docs lint lock clean
help:
	@grep -E '^[a-z]+:.*##' Makefile | sed -E 's/:.*## /\t/' | expand -t 10

$(BIN)/python:
	$(PYTHON) -c 'import sys; sys.exit(0 if (3, 11) <= sys.version_info < (3, 15) else "Knuckle needs Python 3.11 to 3.14: make PYTHON=python3.12 ...")'
	$(PYTHON) -m venv $(VENV)

$(VENV)/.installed: requirements.lock pyproject.toml | $(BIN)/python
	$(PIP) install --quiet --require-hashes -r requirements.lock
	$(PIP) install --quiet --no-deps -e .
	@touch $@

$(VENV)/.installed-dev: requirements-dev.lock pyproject.toml | $(BIN)/python
	$(PIP) install --quiet --require-hashes -r requirements-dev.lock
	$(PIP) install --quiet --no-deps -e .
	@touch $@ $(VENV)/.installed

demo: $(VENV)/.installed ## the contact modes of a two-finger hand, as a table and as one HTML page
	$(BIN)/knuckle warmup
	@mkdir -p demo
	$(BIN)/knuckle modes two-finger-lift --html demo/two-finger-lift.html

lint: $(VENV)/.installed-dev ## style, the import law and types
	$(BIN)/ruff check .
	$(BIN)/lint-imports --no-logo
	$(BIN)/mypy

test: $(VENV)/.installed-dev ## compile, then lint and all tests that are not hours long
	$(BIN)/knuckle warmup
	$(MAKE) --no-print-directory lint
	$(BIN)/pytest -n 2 --durations=20

soak: $(VENV)/.installed-dev ## the long tests: hours, or KNUCKLE_SOAK_SHARE=0.02 of them
	$(BIN)/knuckle warmup
	$(BIN)/pytest -m soak -n 2 --durations=20 tests/soak

bench: $(VENV)/.installed-dev ## the measurements behind docs/decisions (Siconos too where python3-siconos is installed)
	$(BIN)/knuckle warmup
	set -e; for file in benchmarks/bench_*.py; do $(BIN)/python $$file; done

docs: $(VENV)/.installed-dev ## the manual, warnings as errors, to docs/_build/html
	$(BIN)/sphinx-build --quiet -W --keep-going -b html docs docs/_build/html
	@echo docs/_build/html/index.html

lock: $(BIN)/python ## write the two lock files anew
	$(PIP) install --quiet 'uv>=0.9'
	$(BIN)/uv pip compile --quiet --universal --generate-hashes --no-header --no-emit-index-url --extra plot pyproject.toml -o requirements.lock
	$(BIN)/uv pip compile --quiet --universal --generate-hashes --no-header --no-emit-index-url --extra plot --extra test --extra bench --extra docs -c requirements.lock pyproject.toml -o requirements-dev.lock

clean: ## remove everything that was made here
	rm -rf $(VENV) build dist demo docs/_build .pytest_cache .mypy_cache .ruff_cache .import_linter_cache
	find . -name __pycache__ -type d -prune -exec rm -rf {} +
