# Motherlode. `make help` lists the targets; Python 3.11 and git are all that must be there before.
.DEFAULT_GOAL := help
.PHONY: help setup dev-setup demo up down status test test-clock check lock clean bench-loop bench-versioning bench-training bench-mining bench-labeling bench-ui bench-gpu screenshots frontend schema

# The first Python 3.11 that can make virtual environments; looked for only when a target needs it.
PYTHON = $(or $(shell for p in python3.11 python3 /usr/bin/python3.11; do \
	$$p -c 'import sys, venv, ensurepip; sys.exit(sys.version_info[:2] != (3, 11))' 2>/dev/null && echo $$p && break; done), \
	$(error Motherlode needs Python 3.11 with venv and pip (Debian: apt install python3.11 python3.11-venv)))
SETUP = @PYTHONPATH=platform $(PYTHON) -m embedded.setup
RUN = .venv/bin/python
# Tests for both profiles, and those among them that one profile shows well enough.
BOTH = tests/datasets tests/mining tests/models/registry tests/platform tests/faults
ONCE = tests/datasets/formats tests/datasets/publishing tests/datasets/transfers tests/datasets/versioning \
  tests/mining/acquisition tests/mining/backtest tests/mining/scoring tests/platform/blobs tests/platform/embedded \
  tests/platform/motherlode tests/platform/programs

help:  ## this list
	@sed -n 's/^\([a-z-]*\):.*  ## /\1\t/p' $(MAKEFILE_LIST) | while IFS="$$(printf '\t')" read -r name text; do printf '  make %-16s %s\n' "$$name" "$$text"; done

setup:  ## install everything into .venv and build the web application (TORCH_INDEX_URL=... picks another torch build)
	$(SETUP)

dev-setup:
	$(SETUP) --dev

demo: setup  ## start the platform and close the loop on real images; EXIT=1 stops it again afterwards
	@$(RUN) -m embedded up --detach
	@$(RUN) -m motherlode demo; code=$$?; $(if $(EXIT),$(RUN) -m embedded down;) exit $$code

up: setup  ## start the platform on http://127.0.0.1:8000 (PORT=... picks another port); Ctrl-C stops it
	@exec $(RUN) -m embedded up

down:  ## stop the platform
	@$(RUN) -m embedded down

status:  ## say what is running
	@$(RUN) -m embedded status

test:  ## set up and run the tests on both profiles, side by side (ARGS=... goes to the embedded one)
	$(SETUP) --dev --browser
	@mkdir -p build
	@echo "-- the embedded profile (SQLite, Redis, the S3 server); beside it, into build/, the production profile --"
	@{ MOTHERLODE_TEST_PROFILE=production $(RUN) -m pytest -q -m "not slow_once" $(BOTH) $(addprefix --ignore ,$(ONCE)); \
	    production=$$?; [ -n "$(ARGS)" ] || $(RUN) -m pytest -q -m "browser and not clock" tests/journeys || exit $$?; \
	    exit $$production; } > build/tests-beside.log 2>&1 & beside=$$!; \
	  trap 'kill $$beside 2>/dev/null' EXIT INT TERM; \
	  $(RUN) -m pytest -m "not production and not clock$(if $(ARGS),, and not browser)" $(ARGS); embedded=$$?; \
	  echo "-- the production profile: PostgreSQL, RabbitMQ and the S3 server; then the journeys in a browser --"; \
	  wait $$beside; code=$$?; cat build/tests-beside.log; \
	  [ $$embedded = 0 ] || { echo "The tests on the embedded profile failed: see above."; exit $$embedded; }; exit $$code

test-clock:  ## the tests that take minutes: three rounds on a schedule of a minute, 20 kills, engines of every architecture
	$(SETUP) --dev
	@$(RUN) -m pytest -m clock $(ARGS)

check: dev-setup  ## lint, types, dependency rules, schema drift, frontend
	@$(RUN) -m embedded.checks

lock: dev-setup  ## resolve requirements/*.in into the locks (minutes)
	@$(RUN) -m embedded.lock

frontend: setup  ## build the web application if its sources changed

schema: dev-setup  ## write frontend/openapi.json and its TypeScript types from the running code
	@$(RUN) -m embedded.checks --write-schema

bench-loop: dev-setup  ## labels needed: margin against random, over 20 paired seeds (ARGS="--seeds 3" for a glance)
	@$(RUN) -m bench.mining.labels $(ARGS)

bench-versioning: dev-setup  ## datasets at scale beside stock DVC, with what was promised (ARGS=--quick for a glance)
	@$(RUN) -m bench.versioning $(ARGS)

bench-training: dev-setup  ## the whole training loop beside bare torch, ONNX Runtime beside torch, accuracy (ARGS=--quick for a glance)
	@$(RUN) -m bench.training $(ARGS)

bench-mining: dev-setup  ## selection, scoring and labels needed beside peers and the machine's peak (ARGS=--quick for a glance)
	@$(RUN) -m bench.mining $(ARGS)

bench-labeling: dev-setup  ## labelling beside Label Studio, on a PostgreSQL server (ARGS=--quick for a glance)
	@$(RUN) -m bench.labeling $(ARGS)

bench-ui: dev-setup  ## the web application in a real Chromium beside what was promised (ARGS=--quick for a glance)
	@$(RUN) -m bench.ui $(ARGS)

bench-gpu: dev-setup  ## the same on a GPU, and the tests that need one; says so where there is none
	@$(RUN) -m bench.training --gpu $(ARGS)
	@$(RUN) -m pytest -q -rs -m gpu tests

screenshots: dev-setup  ## pictures of the pages, light and dark, into docs/
	@$(RUN) -m bench.screenshots $(ARGS)

clean:  ## stop the platform and remove all its state (var/)
	@if [ -x $(RUN) ] && [ -d var ]; then $(RUN) -m embedded down; fi
	@rm -rf var
