# `make run` and `make test` are all a newcomer needs; each does its own set-up.
PYTHON ?= python3
PORT ?= 8000
BIN := .venv/bin
export PORT

.PHONY: run test check lint fix bench lock clean

run: .venv/.run
	@$(BIN)/likely-human demo

test: .venv/.test
	@$(BIN)/pytest -n 3 --dist loadgroup $(ARGS)

# What CI runs: formatting, lint, types, import contracts, tests.
check: lint test

lint: .venv/.test
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(BIN)/lint-imports

fix: .venv/.test
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .

bench: .venv/.test
	$(BIN)/python -m bench $(ARGS)

.venv/.run: requirements/runtime.txt requirements/bootstrap.txt pyproject.toml
	@sh tools/setup.sh "$(PYTHON)" runtime
	@touch $@

.venv/.test: requirements/dev.txt requirements/bootstrap.txt pyproject.toml tools/browser.sh
	@sh tools/setup.sh "$(PYTHON)" dev
	@sh tools/browser.sh
	@touch .venv/.run $@

# After changing the dependencies in pyproject.toml. The files hold versions and hashes, no addresses.
LOCK = $(BIN)/uv pip compile --universal --python-version 3.11 --generate-hashes --no-header --quiet
lock: .venv/.run
	$(LOCK) pyproject.toml --group build -o requirements/runtime.txt
	$(LOCK) pyproject.toml --group build --group dev -c requirements/runtime.txt -o requirements/dev.txt

clean:
	rm -rf .venv .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache *.egg-info
