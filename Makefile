# make demo    set everything up and make a first report
# make test      set everything up and run the quick tests, of every part
# make test-all  those, the long ones and the wheel
# make nightly   what no change waits for: fuzzing, planted faults, years of audits, every engine
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

.PHONY: demo test test-long test-all docs lint types layers audit wheel-test bench lock clean

demo: $(RUN_STAMP)
	@formats="html,pdf"; $(SHELL) requirements/pango.sh $(BIN)/python || { \
		echo "Making the HTML report only." >&2; formats=html; }; \
	status=0; $(WITH_LIBRARIES) $(BIN)/evalreport run $(SPEC) -o $(RUNS) --formats "$$formats" || status=$$?; \
	if [ $$status -gt 1 ]; then exit $$status; fi; \
	echo; echo "The report:"; \
	for file in report.html report.pdf results.json; do \
		if [ -f "$(RUNS)/latest/$$file" ]; then echo "  $(RUNS)/latest/$$file"; fi; done

# Three parts: quick tests of every part, long ones, and nightly ones, which no change waits for.
# COVER=lines counts the lines that the quick ones run, and holds them against their floors.
COVER ?= none
# Tests start some thousand commands: bytecode is compiled before them, and what pytest makes of
# the tests themselves is kept, also where the environment says that Python is to write none.
PYTEST = PYTHONDONTWRITEBYTECODE= $(WITH_LIBRARIES) $(BIN)/python -m pytest -q
TESTS = $(PYTEST) -n 2 --dist worksteal
COMPILE_FIRST = $(BIN)/python -m compileall -q -j 2 evalreport
COVERED = COVERAGE_FILE=$(CURDIR)/build/.coverage $(TESTS) --cov --cov-report=json:build/coverage.json

test: $(DEV_STAMP)
	@$(SHELL) requirements/pango.sh $(BIN)/python || true
	@$(COMPILE_FIRST)
ifeq ($(COVER),none)
	@$(TESTS) -m "not long and not nightly"
else
	@mkdir -p build && rm -f build/.coverage*
	@$(COVERED) -m "not long and not nightly"
	@$(BIN)/python .ci/coverage_goals.py build/coverage.json
endif

test-long: $(DEV_STAMP)
	@$(COMPILE_FIRST)
	@$(TESTS) -m "long and not nightly and not wheel"

# In this order, also under -j.
test-all:
	@$(MAKE) --no-print-directory test
	@$(MAKE) --no-print-directory test-long
	@$(MAKE) --no-print-directory wheel-test

# What takes longer than a change can wait. One line each on the promise that it holds; all are
# run, also after one has failed.
.PHONY: nightly tests-of-nights
nightly: $(DEV_STAMP)
	@failed=; for part in $(NIGHTLY); do \
		echo "nightly: $$part"; $(MAKE) --no-print-directory $$part || failed="$$failed $$part"; done; \
	test -z "$$failed" || { echo "failed:$$failed" >&2; exit 1; }

NIGHTLY := \
	tests-of-nights `# a fault in any system call, any byte changed, any page of any template breaks nothing` \
	fuzz            `# no spec and no file makes the program crash or write what it should not` \
	mutants         `# a mistake put into a formula is found by the tests` \
	faults          `# 200 planted faults of installs and runs are found and named, 50 healthy ones are not` \
	nights          `# three years of nightly runs leave a history that tells what happened` \
	test-spark test-stores `# every engine and store gives the same results` \
	test-extras     `# the tools of others read what is written for them`

tests-of-nights:
	@$(TESTS) -m nightly

.PHONY: fuzz mutants
FUZZ_SECONDS ?= 300
fuzz: $(DEV_STAMP)
	@PYTHONPATH=tests $(BIN)/python tests/fuzz/fuzz_parquet.py $(FUZZ_SECONDS)
	@PYTHONPATH=tests $(BIN)/python tests/fuzz/fuzz_command.py $(FUZZ_SECONDS)

mutants: $(DEV_STAMP)
	@PYTHONPATH=tests $(BIN)/python tests/mutation/run.py

docs: $(RUN_STAMP)
	@$(BIN)/python docs/make_docs.py
	@$(BIN)/python docs/make_charts.py

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
	@$(SHELL) requirements/audit.sh $(BIN)/python build/audit requirements/run-$(LOCK).txt

wheel-test: $(DEV_STAMP)
	@$(PYTEST) -m wheel tests/packaging

# Environments beside .venv, for servers and the tools of others: $(1) its folder, $(2) the extra
# of evalreport, $(3) more packages. Versions are those of the lock.
PIP_OF = $(1)/bin/python -m pip --disable-pip-version-check --quiet install
define beside
	@echo "Installing evalreport$(2) into $(1) ..."
	@$(PYTHON) -m venv $(1)
	@grep -o '^[A-Za-z0-9._-]*==[^ ]*' $< >$(1)/constraints.txt
	@$(PIP_OF) "pytest>=9" "pytest-benchmark>=5.2" "hypothesis>=6.150" "hatchling>=1.26" editables \
		$(3) --constraint $(1)/constraints.txt
	@$(PIP_OF) --no-build-isolation --editable ".$(2)" --constraint $(1)/constraints.txt
	@touch $@
endef

# Spark with its server; Java comes from the system. PART: of CI, the jobs that show sameness.
SPARK_VENV := .venv-spark
PART ?= not benchmark
.PHONY: test-spark
test-spark: $(SPARK_VENV)/.installed
	@command -v java >/dev/null || { echo "Java 17 or newer is needed; \
	on Debian and Ubuntu: apt-get install openjdk-17-jre-headless" >&2; exit 1; }
	@$(SPARK_VENV)/bin/python -m pytest -q -m "$(PART)" tests/engine/counting/spark

$(SPARK_VENV)/.installed: requirements/run-$(LOCK).txt pyproject.toml
	$(call beside,$(SPARK_VENV),,"pyspark[connect]>=4.0$(COMMA)<5" pyarrow)

COMMA := ,

# Object stores, with servers that speak for S3, Google Cloud Storage and Azure. That of Azure
# runs on Node; where there is none its tests are skipped.
STORES_VENV := .venv-stores
AZURITE := $(STORES_VENV)/azurite/node_modules/azurite/dist/src/blob/main.js

.PHONY: test-stores
test-stores: $(STORES_VENV)/.installed $(AZURITE)
	@EVALREPORT_MOTO=$(STORES_VENV)/server/bin/moto_server \
		EVALREPORT_GCS=$(STORES_VENV)/server/bin/gcp-storage-emulator EVALREPORT_AZURITE=$(AZURITE) \
		$(STORES_VENV)/bin/python -m pytest -q -rs tests/data/test_stores.py

$(STORES_VENV)/.installed: requirements/run-$(LOCK).txt pyproject.toml
	@$(PYTHON) -m venv $(STORES_VENV)/server
	@$(call PIP_OF,$(STORES_VENV)/server) "moto[server]>=5" gcp-storage-emulator
	$(call beside,$(STORES_VENV),[stores])

$(AZURITE): tests/data/azurite/package-lock.json
	@mkdir -p $(STORES_VENV)/azurite
	@cp tests/data/azurite/package.json tests/data/azurite/package-lock.json $(STORES_VENV)/azurite
	@if command -v npm >/dev/null; then npm ci --prefix $(STORES_VENV)/azurite --ignore-scripts \
		--no-audit --no-fund --silent; else \
		echo "Node is not installed: nothing speaks for Azure (apt-get install npm)" >&2; fi

# MLflow, Airflow, the Hugging Face reader and published schemas, in environments of their own.
EXTRAS := .venv-extras

.PHONY: test-extras
test-extras: $(DEV_STAMP) $(EXTRAS)/.installed
	@EVALREPORT_EXTRAS=$(EXTRAS) $(BIN)/python -m pytest -q tests/schedules/test_real_tools.py \
		tests/packaging/test_sbom.py tests/seal/test_published_profiles.py

$(EXTRAS)/.installed: | $(BIN)/python
	@echo "Installing MLflow, Airflow and readers of formats into $(EXTRAS) ..."
	@for name in tools airflow seal; do $(PYTHON) -m venv $(EXTRAS)/$$name; done
	@$(call PIP_OF,$(EXTRAS)/tools) \
		"mlflow-skinny>=3" "huggingface_hub>=1" "check-jsonschema>=0.34" "lxml>=6"
	@$(call PIP_OF,$(EXTRAS)/airflow) "apache-airflow>=3,<4"
	@$(call PIP_OF,$(EXTRAS)/seal) \
		"roc-validator>=0.13" "in-toto-attestation>=0.9.3" "cyclonedx-python-lib[json-validation]>=9"
	@touch $@

.PHONY: axe
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
faults: $(DEV_STAMP)
	@$(WITH_LIBRARIES) $(BIN)/python tests/qualify/plant_faults.py

# Years of nightly runs of five specs with all that goes wrong, begun by an earlier state of the
# program; 1096 nights take some six minutes of processor time.
.PHONY: nights
NIGHTS ?= 1096
nights: $(DEV_STAMP)
	@PYTHONPATH=tests $(BIN)/python -m schedules.nights $(NIGHTS)

bench: $(DEV_STAMP)
	@$(BIN)/python -m pytest -q tests/benchmarks -o "python_files=bench_*.py" --benchmark-enable
	@PYTHONPATH=tests $(BIN)/python -m benchmarks.bench_audit --bars
	@PYTHONPATH=tests $(BIN)/python -m benchmarks.bench_nights 3650000 365 --bars

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
EXTRA_NAMES := arrow excel docx mlflow onnx postgres sign spark stores
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
