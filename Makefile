# Everything runs inside .venv, made on first use. `make run` is the main job, `make test` the whole suite.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
STAMP := $(VENV)/.installed

.PHONY: run test test-fast lint types check clean install

install: $(STAMP)

$(STAMP): pyproject.toml
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[test]'
	@touch $@

# 0 clean, 10 findings and 11 unverified are all answers, not failures of the job: the report says which.
run: $(STAMP)
	@$(BIN)/driftwatch run $(ARGS); code=$$?; \
	case $$code in 0|10|11) echo "driftwatch finished with exit code $$code (0 clean, 10 findings, 11 unverified); read reports/latest.md";; *) exit $$code;; esac

# Everything: offline parts, the real registry, real hosts, a real browser. Two at a time is what a small machine bears.
# What failed is tried once more, alone and in sight: tests that kill and time real hosts meet busy machines.
test: $(STAMP) lint types
	$(BIN)/python -m pytest -n 2 --dist worksteal || $(BIN)/python -m pytest --last-failed --last-failed-no-failures none

test-fast: $(STAMP)
	$(BIN)/python -m pytest -m "not live and not slow" --ignore=tests/live -n 2 --dist worksteal -q

lint: $(STAMP)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

types: $(STAMP)
	$(BIN)/mypy
	$(BIN)/mypy bench

check: lint types test-fast

clean:
	rm -rf $(VENV) .mypy_cache .ruff_cache .pytest_cache
