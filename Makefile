# Everything a checkout needs, from nothing but Python >= 3.11. `make` alone lists the targets.
# Recipes are POSIX sh.

SHELL = /bin/sh
VENV = .venv
BIN = $(VENV)/bin

# The interpreter that makes the environment. Empty: the newest one that really runs.
PYTHON ?=
# `make lock UPGRADE=--upgrade` takes the newest versions; without it only what must change does.
UPGRADE =
# The environment of `make contract-vllm`.
VLLM = .venv-vllm
# The environment of `make docs`.
DOCS = .venv-docs
# More arguments: `make test ARGS="-k retry"`, `make bench ARGS=...`.
ARGS =

LOCKED = $(BIN)/uv pip compile --no-config --quiet --universal --python-version 3.11 \
	--fork-strategy fewest --generate-hashes --no-header $(UPGRADE)

.PHONY: help demo test contract-vllm lint lock docs docs-reference bench clean run-env dev-env \
	docs-env

help: ## List the targets
	@sed -n 's/^\([a-z-]*\):.*## \(.*\)/  \1|\2/p' Makefile | \
		awk -F'|' '{ printf "%-18s%s\n", $$1, $$2 }'

demo: run-env ## Evaluate the embedded baseline on the sample and report it: no key, no network
	@$(BIN)/apieval run baseline --yes
	@echo; echo "its report, a page for a browser first:"
	@$(BIN)/apieval report "$$(ls -td results/baseline-sample-both-*/ | head -n 1)"

test: dev-env ## Run the tests with coverage
	@$(BIN)/python -m pytest --numprocesses 3 --dist loadfile --cov --cov-report=term $(ARGS)

contract-vllm: dev-env ## Try a real vLLM on the CPU; installs 3.4 GB and takes minutes
	@$(BIN)/python tools/install_vllm.py $(VLLM)
	@$(VLLM)/bin/python tools/make_models.py $(VLLM)
	@VLLM_VENV=$(VLLM) $(BIN)/python -m pytest -o timeout=1800 tests/contract/vllm_contract.py $(ARGS)

lint: dev-env ## Check style, types, lock files, start-up files and reference
	@$(BIN)/ruff check
	@$(BIN)/ruff format --check
	@$(BIN)/mypy $(wildcard apieval tests tools benchmarks)
	@$(BIN)/python tools/check_lock.py
	@$(BIN)/python tools/check_pth.py
	@$(BIN)/python tools/make_docs.py --check

lock: dev-env ## Resolve pyproject.toml anew into the lock files
	@$(LOCKED) --group build --output-file requirements.lock pyproject.toml >/dev/null
	@$(LOCKED) --group dev --all-extras --constraints requirements.lock \
		--output-file requirements-dev.lock pyproject.toml >/dev/null
	@$(LOCKED) --group docs --constraints requirements-dev.lock \
		--output-file requirements-docs.lock >/dev/null
	@$(BIN)/python tools/check_lock.py --stamp

docs: docs-env ## Build the documentation site into site/; every warning is an error
	@NO_MKDOCS_2_WARNING=1 $(DOCS)/bin/python -m mkdocs --quiet build --strict
	@$(DOCS)/bin/python tools/check_site.py site
	@echo "open site/index.html"

docs-reference: dev-env ## Write what of docs/ is made from the program
	@$(BIN)/python tools/make_docs.py --write

bench: dev-env ## Measure speed and memory against a loopback server
	@$(BIN)/python -m benchmarks $(ARGS)

clean: ## Remove everything that was made, results excepted
	@rm -rf $(VENV) $(VLLM) $(DOCS) site build dist .coverage .coverage.* htmlcov
	@rm -rf .hypothesis .mypy_cache .pytest_cache .ruff_cache
	@find . -name __pycache__ -type d -prune -exec rm -rf {} +

# --- the environment ---------------------------------------------------------------------
# Each step leaves a stamp that says what it was done for; a step broken off leaves none, and then
# the environment is made anew, as it is after a move of the folder or the loss of its interpreter.
# The project is installed editable: a changed source file needs no new install.

run-env:
	@key="$$(pwd) $$(cat requirements.lock pyproject.toml apieval/version.py | cksum)"; \
	$(call unless_stamped,run) $(make_venv) $(call install,requirements.lock) \
	echo "$$key" > $(VENV)/.run

dev-env:
	@key="$$(pwd) $$(cat requirements-dev.lock pyproject.toml apieval/version.py | cksum)"; \
	$(call unless_stamped,dev) $(make_venv) $(call install,requirements-dev.lock) \
	echo "$$key" > $(VENV)/.dev; \
	echo "$$(pwd) $$(cat requirements.lock pyproject.toml apieval/version.py | cksum)" > $(VENV)/.run

# Of the site's tools alone: docstrings are read, not run, so the project is not installed there.
docs-env: VENV = $(DOCS)
docs-env:
	@key="$$(pwd) $$(cat requirements-docs.lock | cksum)"; \
	$(call unless_stamped,docs) $(make_venv) $(call fill,requirements-docs.lock) \
	echo "$$key" > $(VENV)/.docs

unless_stamped = \
	works() { $(BIN)/python -c 'import pip' 2>/dev/null; }; \
	same_python() { [ -z "$(PYTHON)" ] || [ "$$(cat $(VENV)/.python)" = "$(PYTHON)" ]; }; \
	if [ "$$(cat $(VENV)/.$(1) 2>/dev/null)" = "$$key" ] && works && same_python; then exit 0; fi;

make_venv = \
	if ! { [ -s $(VENV)/.run ] && works && same_python && \
		[ "$$(sed 's/ [0-9]* [0-9]*$$//' $(VENV)/.run)" = "$$(pwd)" ]; }; then \
		$(find_python) rm -rf $(VENV); \
		echo "making $(VENV) with $$python" >&2; \
		if ! "$$python" -m venv $(VENV); then \
			echo "make: $$python cannot make environments (on Debian: install python3-venv)" >&2; \
			exit 1; \
		fi; \
		echo "$$python" > $(VENV)/.python; \
	fi;

# A name on the path may be a shim that fails when called, so each candidate is run.
find_python = \
	for python in $(or $(PYTHON),python3.14 python3.13 python3.12 python3.11 python3 python); do \
		"$$python" -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null && break; \
		python=; \
	done; \
	if [ -z "$$python" ]; then \
		echo "make: no working $(or $(PYTHON),Python) >= 3.11 found;" \
			"install one, or name it: make PYTHON=..." >&2; \
		exit 1; \
	fi;

# pip is heard only when it fails.
fill = \
	rm -f $(VENV)/.run $(VENV)/.dev $(VENV)/.docs; \
	echo "installing $(1)" >&2; \
	quiet() { "$$@" > $(VENV)/pip.log 2>&1 || { cat $(VENV)/pip.log >&2; exit 1; }; }; \
	quiet $(BIN)/python -m pip install --no-input --require-hashes --requirement $(1);

install = \
	$(call fill,$(1)) \
	quiet $(BIN)/python -m pip install --no-input --no-deps --no-build-isolation --editable .;
