# `make run` and `make test` are all a newcomer needs; each does its own set-up.
PYTHON ?= python3
PORT ?= 8000
BIN := .venv/bin
export PORT
# Of the hundred processes that tests start, each would compile the program anew.
unexport PYTHONDONTWRITEBYTECODE
# By file: fixtures of a module are made once. Two processes, as a third would import, start and make all that is made
# for a session once more. In the order of tests/conftest.py: what takes minutes comes first.
PYTEST = $(ONE_THREAD) $(BIN)/pytest -n 2 --dist loadfile --no-loadscope-reorder
# Of linear algebra and JAX, in each process: more would wait for those of the others, a seventh of processor time.
ONE_THREAD = OMP_NUM_THREADS=1 XLA_FLAGS=--xla_cpu_multi_thread_eigen=false

.PHONY: run train features dev lab test test-all test-fast coverage check lint fix made languages pictures bench chaos docs lock clean

run: .venv/.run
	@$(BIN)/likely-human demo

# What training judges takes besides: JAX and Optax, 371 MB. Judging needs neither, and tests have them already.
train: .venv/.run
	@sh tools/setup.sh "$(PYTHON)" train

# What `judge train votes --features FILE.onnx` takes besides: onnxruntime, 81 MB. Tests have it already.
features: .venv/.run
	@sh tools/setup.sh "$(PYTHON)" features

# For who works on it: the demo study with simulated answers, anew at each change; Ctrl-C ends all of it.
dev: .venv/.test
	@$(BIN)/python -m tools.dev

# A lab of sixty studies, 600 clips and a study of 400 sessions in build/lab: `make lab STUDIES=3 CLIPS=30 SESSIONS=3`.
lab: .venv/.test
	@$(BIN)/python -m tools.lab $(if $(STUDIES),--studies $(STUDIES)) $(if $(CLIPS),--clips $(CLIPS)) $(if $(SESSIONS),--sessions $(SESSIONS)) $(ARGS)

# Every behaviour once.
test: .venv/.test
	@$(PYTEST) $(ARGS)

# Each behaviour in every size and scheme, by mouse and by keyboard, on both databases; simulations and grids whole.
test-all: .venv/.test
	@$(PYTEST) --exhaustive $(ARGS)

# Within 40 s: what needs no browser, no PostgreSQL, no encoding of videos and no long statistics.
test-fast: .venv/.test
	@$(ONE_THREAD) $(BIN)/pytest -q -n 2 --dist loadfile --ignore tests/browser -m "not browser and not postgres and not videos and not slow" $(ARGS)

# What share of the lines of app and analysis the tests run, in processes that they start as well.
coverage: .venv/.test
	@$(PYTEST) --cov --cov-report= $(ARGS)
	@for part in app analysis; do echo "$$part: $$($(BIN)/coverage report --include="$$part/*" --format=total)% of its lines are run by the tests"; done
	@echo "Line by line: $(BIN)/coverage report --show-missing --skip-covered"

# What CI runs: formatting, lint, types, import contracts, tests.
check: lint test

lint: .venv/.test
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(BIN)/lint-imports
	$(BIN)/oxlint app tests

# The parts of documents that are made from the code, and Markdown wrapped.
made: .venv/.test
	@for tool in command_line analysis_json question_table exclusion_rules privacy packages floors ways wrap_markdown; do $(BIN)/python -m tools.$$tool; done

# The translations of the participant's pages, brought up to date with the texts in the code.
languages: .venv/.test
	$(BIN)/python -m tools.languages

fix: .venv/.test
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .

# Every page of a participant and every phase of every game, wide and narrow, light and dark, into build/pictures.
pictures: .venv/.test
	$(BIN)/python -m tools.pictures $(ARGS)

bench: .venv/.test
	$(BIN)/python -m bench $(ARGS)

# One person's thousand connections; then people of every task at work while everything fails (as root).
chaos: .venv/.test
	$(BIN)/python -m bench.strain
	$(BIN)/python -m bench.faults $(ARGS)

.venv/.run: requirements/runtime.txt requirements/bootstrap.txt pyproject.toml
	@sh tools/setup.sh "$(PYTHON)" runtime
	@touch $@

.venv/.test: requirements/dev.txt requirements/bootstrap.txt pyproject.toml tools/browser.sh
	@sh tools/setup.sh "$(PYTHON)" dev
	@sh tools/browser.sh
	@touch .venv/.run $@

# The docs site, into build/site: links that lead nowhere are errors, and nothing is fetched from another host.
docs: .venv/.docs
	@$(BIN)/python -m tools.site

# `make test` has installed all of this already.
.venv/.docs: requirements/docs.txt requirements/bootstrap.txt pyproject.toml
	@sh tools/setup.sh "$(PYTHON)" docs
	@touch .venv/.run $@

# After changing the dependencies in pyproject.toml. The files hold versions and hashes, no addresses.
LOCK = $(BIN)/uv pip compile --universal --python-version 3.11 --generate-hashes --no-header --quiet
lock: .venv/.run
	$(LOCK) pyproject.toml --group build -o requirements/runtime.txt
	$(LOCK) pyproject.toml --extra train --extra features --group build --group dev -c requirements/runtime.txt -o requirements/dev.txt
	$(LOCK) pyproject.toml --extra train --group build -c requirements/dev.txt -o requirements/train.txt
	$(LOCK) pyproject.toml --extra features --group build -c requirements/dev.txt -o requirements/features.txt
	$(LOCK) pyproject.toml --group build --group docs -c requirements/dev.txt -o requirements/docs.txt

clean:
	rm -rf .venv .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache *.egg-info
