# `make run` for a working site, `make test` for everything that is checked.
# PORT and HOST say where the site answers, PUBLIC at which name with HTTPS (docs/going-public.md);
# PROLIFIC=local adds a Prolific that pays nobody; PYTHON is which Python 3.11+ makes .venv.

PYTHON ?= python3
IN_VENV = PATH="$(CURDIR)/.venv/bin:$$PATH"
COMPILE = uv pip compile --quiet --universal --generate-hashes --no-emit-index-url --no-header \
	--python-version 3.11

.PHONY: help run dev setup test test-long quick lint bench lock

help:
	@echo 'make run        a site with an example study on http://localhost:8000 (PORT=…, HOST=…, PUBLIC=name, PROLIFIC=local)'
	@echo 'make dev        the same site, started again when a file changes'
	@echo 'make test       lint and every test on both shapes; installs the services they need'
	@echo 'make test-long  the same with more random cases'
	@echo 'make quick      the fast tests that need no database, server or browser'
	@echo 'make lint       ruff, mypy, import-linter, Django checks, missing migrations'
	@echo 'make bench      the benchmarks, into benchmarks/README.md (ONLY="names", EARLIER=version, OPTIONS="of a script")'
	@echo 'make setup      .venv with everything'
	@echo 'make lock       pin requirements*.in into requirements*.txt'

run:
	@$(PYTHON) bootstrap.py
	@exec .venv/bin/python manage.py serve

# SIGINT is Ctrl-C: what runs is finished first.
dev: setup
	@.venv/bin/watchfiles --sigint-timeout 30 '.venv/bin/python manage.py serve' \
		config survey jobs judge corpus analysis dashboard templates static

setup:
	@$(PYTHON) bootstrap.py --dev

test: setup
	@.venv/bin/python -m tests.run

test-long: setup
	@.venv/bin/python -m tests.run --long

quick: setup
	@.venv/bin/python -m tests.run --quick

lint: setup
	$(IN_VENV) ruff check .
	$(IN_VENV) ruff format --check .
	$(IN_VENV) mypy
	$(IN_VENV) lint-imports --no-logo
	SITE_URL=https://example.org $(IN_VENV) python manage.py check --deploy --fail-level WARNING
	$(IN_VENV) python manage.py makemigrations --check --dry-run

bench: setup
	@.venv/bin/python -m benchmarks $(ONLY) $(if $(EARLIER),--earlier $(EARLIER)) -- $(OPTIONS)

lock: setup
	$(IN_VENV) $(COMPILE) requirements-installer.in --output-file requirements-installer.txt
	$(IN_VENV) $(COMPILE) requirements.in --output-file requirements.txt
	$(IN_VENV) $(COMPILE) requirements-models.in --output-file requirements-models.txt
	$(IN_VENV) $(COMPILE) requirements-tuning.in --output-file requirements-tuning.txt
	$(IN_VENV) $(COMPILE) requirements-dev.in --output-file requirements-dev.txt
