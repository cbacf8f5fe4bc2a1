# make demo    set everything up and make a first report
# make test      set everything up and run the quick tests, of every part
# make test-all  those and the long ones; COUNT=goals counts lines and branches too
# make docs    write the pages of docs/ that follow from the code
# make site    the pages of docs/ with a search box, in build/site/VERSION beside those of other versions
# make axe       get axe-core and playwright-core, which the tests of accessibility use
# make lint types layers audit wheel-test bench lock    see below

SHELL := /bin/sh
.DELETE_ON_ERROR:

VENV := .venv
BIN := $(VENV)/bin
SPEC ?= configs/breast_cancer.yaml
RUNS ?= runs

# The first Python of at least 3.11, unless PYTHON names one.
CANDIDATES := python3 python3.13 python3.12 python3.11 python3.14
OLD_ENOUGH := import sys; sys.exit(sys.version_info < (3, 11))
ifndef PYTHON
PYTHON := $(shell for p in $(CANDIDATES); do \
	"$$p" -c '$(OLD_ENOUGH)' >/dev/null 2>&1 && { echo "$$p"; break; }; done)
endif

# An environment that is already there decides which lock fits: each Python has its own, and
# newer ones take that of the newest. 3.11 lacks the newest releases of numpy and scipy.
WHICH := import sys; print("py3%d" % min(max(sys.version_info[1], 11), 13))
LOCK := $(shell { test -x $(BIN)/python && $(BIN)/python -c '$(WHICH)' || \
	$(PYTHON) -c '$(WHICH)'; } 2>/dev/null)

ifeq ($(LOCK),)
$(error Python 3.11 or newer is needed; name one: make PYTHON=/path/to/python3)
endif

PIP := $(BIN)/python -m pip --disable-pip-version-check --quiet --quiet
# A lock names every package, so nothing is resolved anew: older pips take the newest release of what
# is asked for with an extra, and then refuse it as not locked. Whether all is there is asked afterwards.
FROM_LOCK := $(PIP) install --no-deps --require-hashes -r
COMPLETE := missing=$$($(BIN)/python -m pip --disable-pip-version-check check) || { echo "$$missing" >&2; exit 1; }
RUN_STAMP := $(VENV)/.installed-run
DEV_STAMP := $(VENV)/.installed-dev
# macOS: let the PDF writer find Homebrew's libraries.
WITH_LIBRARIES := DYLD_FALLBACK_LIBRARY_PATH="$${DYLD_FALLBACK_LIBRARY_PATH:-/opt/homebrew/lib:/usr/local/lib}"

.PHONY: demo test test-long test-all docs lint types layers audit wheel-test test-spark test-extras bench lock clean

demo: $(RUN_STAMP)
	@formats="html,pdf"; sh requirements/pango.sh $(BIN)/python || { \
		echo "Making the HTML report only." >&2; formats=html; }; \
	status=0; $(WITH_LIBRARIES) $(BIN)/evalreport run $(SPEC) -o $(RUNS) --formats "$$formats" || status=$$?; \
	if [ $$status -gt 1 ]; then exit $$status; fi; \
	echo; echo "The report:"; \
	for file in report.html report.pdf results.json; do \
		if [ -f "$(RUNS)/latest/$$file" ]; then echo "  $(RUNS)/latest/$$file"; fi; done

# Quick tests of every part; the long ones are fault by fault, flips, fuzzing, whole evaluations
# of every ready spec. COUNT=goals counts lines and branches in both, and holds them against
# their goals after the long ones, in all tests but those long ones marked as uncounted.
COUNT ?= none
# Tests start some thousand commands: bytecode is compiled before them, and what pytest makes of
# the tests themselves is kept, also where the environment says that Python is to write none.
PYTEST = PYTHONDONTWRITEBYTECODE= $(WITH_LIBRARIES) $(BIN)/python -m pytest -q
TESTS = $(PYTEST) -n 2 --dist worksteal
COMPILE_FIRST = $(BIN)/python -m compileall -q -j 2 evalreport
COUNTED = COVERAGE_FILE=$(CURDIR)/build/.coverage $(TESTS) --cov --cov-branch --cov-append

test: $(DEV_STAMP)
	@sh requirements/pango.sh $(BIN)/python || true
	@$(COMPILE_FIRST)
ifeq ($(COUNT),none)
	@$(TESTS) -m "not long"
else
	@mkdir -p build && rm -f build/.coverage*
	@$(COUNTED) --cov-report= -m "not long"
endif

test-long: $(DEV_STAMP)
	@$(COMPILE_FIRST)
ifeq ($(COUNT),none)
	@$(TESTS) -m "long and not wheel"
else
	@$(COUNTED) --cov-report=json:build/coverage.json -m "long and not wheel and not uncounted"
	@$(BIN)/python .ci/coverage_goals.py build/coverage.json
	@$(TESTS) -m "long and uncounted"
endif

# In this order, also under -j.
test-all:
	@$(MAKE) --no-print-directory test
	@$(MAKE) --no-print-directory test-long
	@$(MAKE) --no-print-directory wheel-test

docs: $(RUN_STAMP)
	@$(BIN)/python docs/make_docs.py

.PHONY: site
SITE := build/site-tools
# All versions of the site, one folder each; name another place to keep those of releases.
SITES ?= build/site

site: $(SITE)/.installed
	@mkdir -p $(SITES) && $(SITE)/bin/python docs/versions.py $(CURDIR)/$(SITE)/bin/mkdocs $(SITES)

$(SITE)/.installed: requirements/site.in
	@echo "Installing mkdocs into $(SITE) ..."
	@mkdir -p build && $(PYTHON) -m venv $(SITE)
	@$(SITE)/bin/python -m pip --disable-pip-version-check --quiet --quiet install -r $<
	@touch $@

lint: $(DEV_STAMP)
	@$(BIN)/ruff check .
	@$(BIN)/ruff format --check --quiet . || { echo "not as the formatter writes: ruff format" >&2; exit 1; }

types: $(DEV_STAMP)
	@$(BIN)/mypy

layers: $(DEV_STAMP)
	@$(BIN)/lint-imports

# Known vulnerabilities of what is locked; says so and passes where the index is out of reach.
audit: $(BIN)/python
	@sh requirements/audit.sh $(BIN)/python build/audit requirements/run-$(LOCK).txt

wheel-test: $(DEV_STAMP)
	@$(PYTEST) -m wheel tests/packaging

# Spark in an environment of its own: the whole of it, with a server; Java comes from the system.
SPARK_VENV := .venv-spark
SPARK_STAMP := $(SPARK_VENV)/.installed

test-spark: $(SPARK_STAMP)
	@command -v java >/dev/null || { echo "Java 17 or newer is needed; \
	on Debian and Ubuntu: apt-get install openjdk-17-jre-headless" >&2; exit 1; }
	@$(SPARK_VENV)/bin/python -m pytest -q tests/engine/counting/spark

$(SPARK_STAMP): requirements/run-$(LOCK).txt pyproject.toml
	@echo "Installing evalreport and Spark into $(SPARK_VENV) ..."
	@$(PYTHON) -m venv $(SPARK_VENV)
	@grep -o '^[A-Za-z0-9._-]*==[^ ]*' $< >$(SPARK_VENV)/constraints.txt
	@$(SPARK_VENV)/bin/python -m pip --disable-pip-version-check --quiet install \
		"pyspark[connect]>=4.0,<5" pyarrow "fsspec>=2025.2" "pytest>=9" "pytest-benchmark>=5.2" "hypothesis>=6.150" "hatchling>=1.26" editables \
		--constraint $(SPARK_VENV)/constraints.txt
	@$(SPARK_VENV)/bin/python -m pip --disable-pip-version-check --quiet install \
		--no-build-isolation --editable . --constraint $(SPARK_VENV)/constraints.txt
	@touch $@

# Postgres with its driver in an environment of its own; the server comes from the system.
POSTGRES_VENV := .venv-postgres
POSTGRES_STAMP := $(POSTGRES_VENV)/.installed

HAS_POSTGRES := { command -v initdb || ls /usr/lib/postgresql/*/bin/initdb; } >/dev/null 2>&1

# As root a server that is not there is installed from the packages of the system.
.PHONY: test-postgres
test-postgres: $(POSTGRES_STAMP)
	@$(HAS_POSTGRES) || test "$$(id -u)" -ne 0 || apt-get install -y -q --no-install-recommends postgresql
	@$(HAS_POSTGRES) || { \
	echo "A Postgres server is needed; on Debian and Ubuntu: apt-get install postgresql" >&2; exit 1; }
	@$(POSTGRES_VENV)/bin/python -m pytest -q tests/engine/counting/test_postgres_rows.py \
		tests/engine/counting/test_counted_by_postgres.py tests/engine/counting/test_twenty_jobs.py

$(POSTGRES_STAMP): requirements/run-$(LOCK).txt pyproject.toml
	@echo "Installing evalreport and the driver of Postgres into $(POSTGRES_VENV) ..."
	@$(PYTHON) -m venv $(POSTGRES_VENV)
	@grep -o '^[A-Za-z0-9._-]*==[^ ]*' $< >$(POSTGRES_VENV)/constraints.txt
	@$(POSTGRES_VENV)/bin/python -m pip --disable-pip-version-check --quiet install \
		"pytest>=9" "pytest-benchmark>=5.2" "hypothesis>=6.150" "hatchling>=1.26" editables \
		--constraint $(POSTGRES_VENV)/constraints.txt
	@$(POSTGRES_VENV)/bin/python -m pip --disable-pip-version-check --quiet install \
		--no-build-isolation --editable ".[postgres]" --constraint $(POSTGRES_VENV)/constraints.txt
	@touch $@

# MariaDB likewise, with the driver of MySQL.
MARIADB_VENV := .venv-mariadb
MARIADB_STAMP := $(MARIADB_VENV)/.installed

HAS_MARIADB := { command -v mariadbd && command -v mariadb-install-db; } >/dev/null 2>&1

.PHONY: test-mariadb
test-mariadb: $(MARIADB_STAMP)
	@$(HAS_MARIADB) || test "$$(id -u)" -ne 0 || apt-get install -y -q --no-install-recommends mariadb-server
	@$(HAS_MARIADB) || { \
	echo "A MariaDB server is needed; on Debian and Ubuntu: apt-get install mariadb-server" >&2; exit 1; }
	@$(MARIADB_VENV)/bin/python -m pytest -q tests/engine/counting/test_counted_by_mariadb.py \
		tests/engine/counting/test_twenty_jobs.py

$(MARIADB_STAMP): requirements/run-$(LOCK).txt pyproject.toml
	@echo "Installing evalreport and the driver of MySQL into $(MARIADB_VENV) ..."
	@$(PYTHON) -m venv $(MARIADB_VENV)
	@grep -o '^[A-Za-z0-9._-]*==[^ ]*' $< >$(MARIADB_VENV)/constraints.txt
	@$(MARIADB_VENV)/bin/python -m pip --disable-pip-version-check --quiet install \
		"pytest>=9" "pytest-benchmark>=5.2" "hypothesis>=6.150" "hatchling>=1.26" editables \
		--constraint $(MARIADB_VENV)/constraints.txt
	@$(MARIADB_VENV)/bin/python -m pip --disable-pip-version-check --quiet install \
		--no-build-isolation --editable ".[mysql]" --constraint $(MARIADB_VENV)/constraints.txt
	@touch $@

# MySQL itself by the same tests, with a server in a folder of its own.
.PHONY: test-mysql
test-mysql: $(MARIADB_STAMP)
	@test -x $(MARIADB_VENV)/mysql/mysqld || sh requirements/mysql.sh $(MARIADB_VENV)/mysql
	@EVALREPORT_MYSQLD=$(CURDIR)/$(MARIADB_VENV)/mysql/mysqld \
		$(MARIADB_VENV)/bin/python -m pytest -q tests/engine/counting/test_counted_by_mariadb.py \
		tests/engine/counting/test_twenty_jobs.py

# Object stores, with servers that speak for S3, Google Cloud Storage and Azure. That of Azure
# runs on Node; where there is none its tests are skipped.
STORES_VENV := .venv-stores
STORES_STAMP := $(STORES_VENV)/.installed
AZURITE := $(STORES_VENV)/azurite/node_modules/azurite/dist/src/blob/main.js

.PHONY: test-stores
test-stores: $(STORES_STAMP)
	@EVALREPORT_MOTO=$(STORES_VENV)/server/bin/moto_server \
		EVALREPORT_GCS=$(STORES_VENV)/server/bin/gcp-storage-emulator EVALREPORT_AZURITE=$(AZURITE) \
		$(STORES_VENV)/bin/python -m pytest -q -rs tests/data/test_stores.py

$(STORES_STAMP): requirements/run-$(LOCK).txt pyproject.toml tests/data/azurite/package-lock.json
	@echo "Installing evalreport, readers of stores and servers of them into $(STORES_VENV) ..."
	@$(PYTHON) -m venv $(STORES_VENV)
	@$(PYTHON) -m venv $(STORES_VENV)/server
	@$(STORES_VENV)/server/bin/python -m pip --disable-pip-version-check --quiet install \
		"moto[server]>=5" gcp-storage-emulator
	@grep -o '^[A-Za-z0-9._-]*==[^ ]*' $< >$(STORES_VENV)/constraints.txt
	@$(STORES_VENV)/bin/python -m pip --disable-pip-version-check --quiet install \
		"pytest>=9" "pytest-benchmark>=5.2" "hypothesis>=6.150" "hatchling>=1.26" editables \
		--constraint $(STORES_VENV)/constraints.txt
	@$(STORES_VENV)/bin/python -m pip --disable-pip-version-check --quiet install \
		--no-build-isolation --editable ".[stores]" --constraint $(STORES_VENV)/constraints.txt
	@mkdir -p $(STORES_VENV)/azurite
	@cp tests/data/azurite/package.json tests/data/azurite/package-lock.json $(STORES_VENV)/azurite
	@if command -v npm >/dev/null; then npm ci --prefix $(STORES_VENV)/azurite --ignore-scripts \
		--no-audit --no-fund --silent; else \
		echo "Node is not installed: nothing speaks for Azure (apt-get install npm)" >&2; fi
	@touch $@

# MLflow, Airflow, the Hugging Face reader and published schemas, in environments of their own.
SIGN_VENV := .venv-sign
SIGN_STAMP := $(SIGN_VENV)/.installed
EXTRAS := .venv-extras
EXTRAS_STAMP := $(EXTRAS)/.installed

test-extras: $(DEV_STAMP) $(EXTRAS_STAMP) $(SIGN_STAMP)
	@EVALREPORT_EXTRAS=$(EXTRAS) $(BIN)/python -m pytest -q tests/schedules/test_real_tools.py \
		tests/packaging/test_sbom.py
	@EVALREPORT_EXTRAS=$(EXTRAS) $(SIGN_VENV)/bin/python -m pytest -q tests/seal/test_published_profiles.py

$(EXTRAS_STAMP): | $(BIN)/python
	@echo "Installing MLflow, Airflow and readers of formats into $(EXTRAS) ..."
	@for name in tools airflow seal; do $(PYTHON) -m venv $(EXTRAS)/$$name; done
	@$(EXTRAS)/tools/bin/python -m pip --disable-pip-version-check --quiet install \
		"mlflow-skinny>=3" "huggingface_hub>=1" "check-jsonschema>=0.34" "lxml>=6"
	@$(EXTRAS)/airflow/bin/python -m pip --disable-pip-version-check --quiet install \
		"apache-airflow>=3,<4"
	@$(EXTRAS)/seal/bin/python -m pip --disable-pip-version-check --quiet install \
		"roc-validator>=0.13" "in-toto-attestation>=0.9.3" "cyclonedx-python-lib[json-validation]>=9"
	@touch $@

.PHONY: test-sign axe

# Signing in an environment of its own, with pyHanko.
test-sign: $(SIGN_STAMP)
	@$(WITH_LIBRARIES) $(SIGN_VENV)/bin/python -m pytest -q tests/render/test_signing.py tests/seal \
		tests/qualify/test_planted_faults.py

$(SIGN_STAMP): requirements/run-$(LOCK).txt pyproject.toml
	@echo "Installing evalreport and pyHanko into $(SIGN_VENV) ..."
	@$(PYTHON) -m venv $(SIGN_VENV)
	@grep -o '^[A-Za-z0-9._-]*==[^ ]*' $< >$(SIGN_VENV)/constraints.txt
	@$(SIGN_VENV)/bin/python -m pip --disable-pip-version-check --quiet install \
		"pytest>=9" "pytest-benchmark>=5.2" "hypothesis>=6.150" "hatchling>=1.26" editables \
		--constraint $(SIGN_VENV)/constraints.txt
	@$(SIGN_VENV)/bin/python -m pip --disable-pip-version-check --quiet install \
		--no-build-isolation --editable ".[sign]" --constraint $(SIGN_VENV)/constraints.txt
	@touch $@

# The rules of accessibility and what drives a browser, by npm; the lock file holds the hashes.
axe: build/axe/node_modules/axe-core/axe.min.js

build/axe/node_modules/axe-core/axe.min.js: tests/render/axe/package-lock.json
	@mkdir -p build/axe
	@cp tests/render/axe/package.json tests/render/axe/package-lock.json build/axe
	@npm ci --prefix build/axe --ignore-scripts --no-audit --no-fund --silent
	@touch $@

# What is in each lock that users install, as a bill of materials: CycloneDX, JSON.
.PHONY: sbom
sbom: $(BIN)/python
	@mkdir -p build
	@for lock in requirements/run-py3*.txt; do \
		name=build/sbom-$$(basename $$lock .txt).cdx.json; \
		$(BIN)/python requirements/sbom.py $$lock >$$name && echo $$name; done

# 200 planted faults, each found and named, and 50 healthy installs and runs, none of them.
.PHONY: faults
faults: $(SIGN_STAMP)
	@$(WITH_LIBRARIES) $(SIGN_VENV)/bin/python tests/qualify/plant_faults.py

# Years of nightly runs of five specs with all that goes wrong, begun by an earlier state of the
# program; 1096 nights take some six minutes of processor time.
.PHONY: nights
NIGHTS ?= 1096
nights: $(DEV_STAMP)
	@PYTHONPATH=tests $(BIN)/python -m schedules.nights $(NIGHTS)

bench: $(DEV_STAMP)
	@$(BIN)/python -m pytest -q tests/benchmarks -o "python_files=bench_*.py" --benchmark-enable

$(BIN)/python:
	@$(PYTHON) -c '$(OLD_ENOUGH)' || { echo "$(PYTHON) is older than Python 3.11" >&2; exit 1; }
	@$(PYTHON) -m venv $(VENV) || { rm -rf $(VENV); \
		echo "The venv module is needed; on Debian and Ubuntu: apt-get install python3-venv" >&2; exit 1; }

$(RUN_STAMP): requirements/run-$(LOCK).txt pyproject.toml | $(BIN)/python
	@echo "Installing $$(grep -c '^[A-Za-z0-9]' $<) packages, some 600 MB, into $(VENV); a minute or two ..."
	@$(FROM_LOCK) $<
	@echo "Installing evalreport itself ..."
	@$(PIP) install --no-deps --no-build-isolation --editable .
	@$(COMPLETE)
	@touch $@

$(DEV_STAMP): requirements/dev-$(LOCK).txt pyproject.toml | $(BIN)/python
	@echo "Installing evalreport and its development tools into $(VENV) ..."
	@$(FROM_LOCK) $<
	@$(PIP) install --no-deps --no-build-isolation --editable .
	@$(COMPLETE)
	@touch $@ $(RUN_STAMP)

# The locks again, from pyproject.toml. Needs python3.11, python3.12 and python3.13.
# They carry hashes and no address, so they work with any mirror. `run` is what users run,
# `extras` that and every extra, `dev` that and what development takes.
EXTRA_NAMES := arrow excel docx mlflow mysql onnx postgres sign spark stores
HASHED := bin/pip-compile --quiet --generate-hashes --allow-unsafe --strip-extras \
	--no-emit-index-url --no-emit-find-links --no-emit-trusted-host --no-emit-options
COMPILE := $(HASHED) --build-deps-for editable --build-deps-for wheel
UPGRADE ?=

lock:
	@set -e; for version in 3.11 3.12 3.13; do \
		tag=py$$(echo $$version | tr -d .); home=build/lock-$$tag; \
		test -x $$home/bin/pip-compile || { python$$version -m venv $$home; \
			$$home/bin/python -m pip --quiet install pip-tools; }; \
		export CUSTOM_COMPILE_COMMAND="make lock"; \
		$$home/$(COMPILE) $(UPGRADE) -o requirements/run-$$tag.txt pyproject.toml; \
		$$home/$(COMPILE) $(UPGRADE) --extra dev -c requirements/run-$$tag.txt \
			-o requirements/dev-$$tag.txt pyproject.toml; \
		$$home/$(COMPILE) $(UPGRADE) $(EXTRA_NAMES:%=--extra %) -c requirements/run-$$tag.txt \
			-c requirements/dev-$$tag.txt -o requirements/extras-$$tag.txt pyproject.toml; \
	done; \
	build/lock-py311/$(HASHED) $(UPGRADE) -o requirements/audit.txt requirements/audit.in
	$(BIN)/python requirements/tested_versions.py

clean:
	@rm -rf build dist .mypy_cache .ruff_cache .pytest_cache .import_linter_cache .hypothesis
