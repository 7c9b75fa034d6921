# Assay: `make demo` runs the whole site on this machine, `make test` runs the tests. `make help` lists the rest.
PYTHON ?= python3
BIN := .venv/bin
VENV := .venv/.installed
THOROUGH := --hypothesis-profile thorough
CORES = $(shell getconf _NPROCESSORS_ONLN)
# One more than there are cores for slow tests: some wait for a timeout, and compute nothing meanwhile.
WORKERS = $(shell expr $(CORES) + 1)

# Where bytecode is not kept, each of the hundreds of processes that tests start compiles what it imports
# anew: 2 s of CPU with Django, 0.5 s without. Who wants no __pycache__ beside the sources has it in .venv.
ifneq ($(PYTHONDONTWRITEBYTECODE),)
unexport PYTHONDONTWRITEBYTECODE
export PYTHONPYCACHEPREFIX := $(CURDIR)/.venv/bytecode
endif

.DEFAULT_GOAL := help
.PHONY: help install setup demo test test-changed test-slow test-all run worker site environment-reference passwords check lint security types imports docs hooks format test-services test-browser test-js fuzz-api planted-faults mutants fresh-roots drill coverage bench bench-growth bench-pages bench-readers bench-judging bench-startup bench-statistics wheels lock clean

help:  ## List the commands
	@grep -hE '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | sed 's/:.*## /\t/' | expand -t 16

.venv/bin/python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { echo "Assay needs Python 3.11 or newer; say make PYTHON=/path/to/python3.11"; exit 2; }
	@$(PYTHON) -m venv .venv

.venv/.uv: .venv/bin/python
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check uv && touch $@

$(VENV): .venv/.uv requirements-dev.txt
	@echo "Installing what Assay needs into .venv"
	@$(BIN)/python -m uv pip sync --quiet --compile-bytecode --python $(BIN)/python --require-hashes requirements-dev.txt && touch $@

.env:
	@$(PYTHON) -c "import secrets; print('SECRET_KEY=' + secrets.token_urlsafe(48))" > $@ && chmod 600 $@

# A site's own: no tools of developers, and no .env, which a service's user could not read. Root makes .venv, and the
# services run it as a user of their own, who cannot enter /root or a checkout made under a narrow umask: tried here,
# where a sentence says what to do, for systemd would say no more than 203/EXEC. Services may not write bytecode.
SERVICE_USER = $(shell id -un assay 2>/dev/null || echo nobody)
install: .venv/.uv  ## What a site needs into .venv, and nothing else: for hosts (docs/operator/)
	@[ "$$(id -u)" != 0 ] || runuser -u $(SERVICE_USER) -- $(BIN)/python -c "import sys; open('manage.py')" 2>/dev/null || { \
	  echo "The user $(SERVICE_USER) cannot run $$(readlink -f $(BIN)/python) in $(CURDIR), so the services could not start."; \
	  echo "Put Assay where all may read it (chmod -R go+rX), and use a Python that all may run: rm -rf .venv && make install PYTHON=/usr/bin/python3"; exit 2; }
	@env -u PYTHONPYCACHEPREFIX $(BIN)/python -m uv pip sync --quiet --compile-bytecode --python $(BIN)/python --require-hashes requirements.txt && rm -f $(VENV)
	@env -u PYTHONPYCACHEPREFIX $(BIN)/python -m compileall -q manage.py benchmarks judging leaderboard

setup: $(VENV) .env  ## Make .venv with everything installed, and .env with a random key

demo: setup  ## The whole site on this machine: content, judged samples, web and worker
	@echo "Starting Assay on this machine"
	@exec $(BIN)/python manage.py demo

test: setup  ## The quick tests (eight minutes on two cores), without PostgreSQL, Redis or a browser
	@$(BIN)/python -m pytest -q -n $(CORES) --dist loadfile -m "not slow and not services and not browser"

test-changed: setup  ## The tests of what changed since main (SINCE=another), and of what imports it
	@$(BIN)/python -m tests.changed --since $(or $(SINCE),main)

test-slow: setup  ## What `make test` leaves out: simulations, exhaustive attacks, real servers (ONE_IN=4: a quarter)
	@$(BIN)/python -m pytest -q -n $(WORKERS) --dist worksteal $(if $(ONE_IN),--one-in $(ONE_IN)) $(THOROUGH) -m "slow and not services and not browser"

test-all: setup  ## Both, and more examples of every property
	@$(BIN)/python -m pytest -q -n $(WORKERS) $(THOROUGH) -m "not services and not browser"

run: setup  ## The web server alone, with your own settings
	@exec $(BIN)/python manage.py serve

worker: setup  ## A worker alone, with your own settings
	@exec $(BIN)/python -m celery -A leaderboard worker --loglevel INFO

site: setup  ## A site as a host runs it: PostgreSQL, Redis, web, two workers, beat (deploy/run_site.py)
	@deploy/install_debian.sh services && exec $(BIN)/python deploy/run_site.py --demo

passwords: setup  ## New passwords for the demo accounts
	@$(BIN)/python manage.py passwords

check:  ## Everything CI runs
	@.ci/run

STYLELINT := tests/styles/node_modules/.bin/stylelint
$(STYLELINT): tests/styles/package-lock.json
	@npm ci --silent --prefix tests/styles && touch $@

lint: setup $(STYLELINT)  ## What ruff and the linters of templates and style sheets say, and what nothing uses
	@$(BIN)/ruff check . && $(BIN)/ruff format --check . && $(BIN)/djhtml --check templates && $(BIN)/djade --target-version 5.2 --check $$(git ls-files 'templates/*.html') && $(BIN)/python -m tests.unused_code
	@$(STYLELINT) --config tests/styles/stylelint.config.js 'static/css/**/*.css'

security: setup  ## What bandit and Django's own check say against code, settings and scorers
	@$(BIN)/bandit --quiet -c pyproject.toml -r benchmarks judging leaderboard deploy clients/python/src clients/scoring manage.py
	@HTTPS=true TRUSTED_PROXIES=1 STAFF_SECOND_FACTOR=true DEBUG=false $(BIN)/python manage.py check --deploy --fail-level WARNING
	@$(BIN)/python manage.py check --tag content --fail-level WARNING

types: setup  ## What mypy says
	@$(BIN)/mypy benchmarks judging leaderboard deploy examples tests bench clients/python/src/assay clients/scoring

hooks: setup  ## Check what you commit before git does (.pre-commit-config.yaml)
	@$(BIN)/pre-commit install

docs: setup  ## Build docs/ as pages into build/docs/; a link that leads nowhere fails
	@$(BIN)/mkdocs build --quiet

imports: setup  ## Whether imports point the way ARCHITECTURE.md says
	@$(BIN)/lint-imports

format: setup  ## Format code and templates
	@$(BIN)/ruff check --fix-only --quiet . ; $(BIN)/ruff format --quiet . ; $(BIN)/djhtml templates 2>/dev/null ; $(BIN)/djade --target-version 5.2 $$(git ls-files 'templates/*.html') || true

test-services: setup  ## What uses a database or a broker, on private PostgreSQL and Redis servers (ONE_IN=4)
	@deploy/install_debian.sh services && $(BIN)/python deploy/private_services.py $(BIN)/python -m pytest -q -n 2 --only-database $(if $(ONE_IN),--one-in $(ONE_IN)) -m "not browser"

test-browser: setup  ## Headless Chromium: upload, judged, board
	@deploy/install_debian.sh browser && npm ci --silent --prefix tests/browser/axe && $(BIN)/python -m pytest -q -m browser

fuzz-api: setup  ## The API asked what its description allows and forbids, by Schemathesis
	@$(BIN)/python -m tests.fuzz_api

test-js:  ## The scripts' pure parts
	@node --test tests/js/

planted-faults: setup  ## Faults that people would see: each, planted, must make a test fail
	@$(BIN)/python -m tests.planted_faults

mutants: setup  ## Small changes of the code that tests should see (ROOMS="judging leaderboard/web/pages", SAMPLE=15, SEED=7, GUARDS="ownership escape")
	@$(BIN)/python -m tests.mutants $(ROOMS) --sample $(or $(SAMPLE),15) --seed $(or $(SEED),7) $(if $(GUARDS),--guards $(GUARDS))

# debootstrap needs root, and with it everything in a root; -B: root leaves no bytecode in the checkout.
fresh-roots: setup  ## README's two commands in bare Debian 12, 13 and sid (ROOTS="trixie sid", INSTALL_ONLY=1)
	@deploy/install_debian.sh roots && $(if $(filter 0,$(shell id -u)),,sudo -E )$(BIN)/python -B -m tests.fresh_roots $(ROOTS) $(if $(INSTALL_ONLY),--install-only)

drill: setup  ## Faults of machines against real processes, and what is paid twice, lost or left (ONLY=chaos, SHORT=1)
	@deploy/install_debian.sh services $(if $(SHORT),,rabbitmq) && $(BIN)/python -m tests.drill $(if $(SHORT),--short) $(if $(ONLY),"$(ONLY)")

coverage: setup  ## Which lines the tests reach
	@$(BIN)/python -m pytest -q -n auto -m "not services and not browser" --cov --cov-report=term

charts: $(VENV)  ## Build the small Plotly bundle (needs Node.js; without it boards load the whole plotly.js)
	@$(BIN)/python deploy/build_plotly.py

bench: setup  ## Speed and size, printed as ratios
	@$(BIN)/python -m bench

bench-growth: setup  ## What grows with the number of submissions (SIZES=10,100,1000,10000; docs/developer/growth.md)
	@deploy/install_debian.sh services && $(BIN)/python deploy/private_services.py $(BIN)/python -m bench.growth $(if $(SIZES),--sizes $(SIZES))

bench-pages: setup  ## Time, queries and size of each public page at a thousand entries, and its first screen in Chromium
	@$(BIN)/python -m bench.pages
	@deploy/install_debian.sh browser && $(BIN)/python -m bench.pages.screens

bench-readers: setup  ## What readers get of a whole site, page by page, and while it judges
	@deploy/install_debian.sh services && $(BIN)/python -m bench.readers

bench-judging: setup  ## Judging against other clients, limits, memory (docs/developer/judging_benchmark.md)
	@$(BIN)/python -m bench.judging

bench-startup: setup  ## What starting costs beside a bare project, and the memory of what waits
	@$(BIN)/python -m bench.startup

bench-statistics: setup  ## How often intervals and rank ranges hold the truth (docs/visitor/intervals.md)
	@$(BIN)/python -m bench.statistics && $(BIN)/python -m bench.ranks
	@$(BIN)/python -m bench.anchored

environment-reference: setup  ## Write docs/operator/settings.md from the settings
	@$(BIN)/python deploy/describe_environment.py

# What `requires-python` says and where people run it; Intel Macs left cryptography's wheels behind.
PYTHONS := 3.11 3.12 3.13 3.14
PLATFORMS := x86_64-unknown-linux-gnu aarch64-unknown-linux-gnu aarch64-apple-darwin
wheels: $(VENV)  ## Whether every locked package has a wheel for each Python and platform: nothing is compiled at set-up
	@for python in $(PYTHONS); do for platform in $(PLATFORMS); do \
	  $(BIN)/python -m uv pip install --quiet --dry-run --only-binary :all: --python-version $$python --python-platform $$platform --target .venv/none -r requirements-dev.txt || \
	  { echo "Python $$python on $$platform would have to compile a package."; exit 1; }; done; done

lock: $(VENV)  ## Resolve requirements*.in into hash-locked requirements*.txt
	@for name in requirements requirements-dev; do $(BIN)/python -m uv pip compile --quiet --universal --python-version 3.11 --generate-hashes --no-emit-index-url --no-header --no-annotate $$name.in -o $$name.txt; done

clean:  ## Remove .venv and var (database, uploads, figures)
	@rm -rf .venv var build .mypy_cache .ruff_cache .pytest_cache
