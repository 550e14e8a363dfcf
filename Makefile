# Motherlode. `make help` lists the targets; Python and git are all that must be there before.
.DEFAULT_GOAL := help
# Some machines forbid Python to keep what it compiled: each of the many processes here would compile everything anew.
unexport PYTHONDONTWRITEBYTECODE
.PHONY: help setup dev-setup demo up down restart status test test-full check lock audit clean bench-loop bench-labels bench-versioning bench-training bench-mining bench-forecast bench-lake bench-scale bench-labeling bench-crowd bench-upgrade bench-beside bench-lists bench-readers bench-ui rehearse bench-gpu fuzz-api fault-matrix screenshots frontend schema

# The Pythons that pyproject.toml names, the newest first.
PYTHONS = $(shell sed -n 's/^requires-python = ">=3\.\([0-9]*\),<3\.\([0-9]*\)"$$/\1 \2/p' pyproject.toml | \
	{ read low high && seq -f 3.%.0f $$((high - 1)) -1 $$low; })
# The first of them that can make virtual environments: the one that .venv was made with, as with another all would be
# installed anew; python3, which is your system's choice or yours; then the newest. Looked for only when a target needs it.
PYTHON = $(or $(shell for p in "$$(sed -n 's/^executable = //p' .venv/pyvenv.cfg 2>/dev/null)" python3 $(PYTHONS:%=python%) /usr/bin/python3; do \
	"$$p" -c 'import sys, venv, ensurepip; sys.exit("%d.%d" % sys.version_info[:2] not in sys.argv[1:])' $(PYTHONS) 2>/dev/null && echo "$$p" && break; done), \
	$(error Motherlode needs one of Python $(PYTHONS), with venv and pip (Debian and Ubuntu: apt install python3 python3-venv)))
SETUP = @PYTHONPATH=platform $(PYTHON) -m embedded.setup
RUN = .venv/bin/python
# Several processes side by side, each with a database, a broker and an S3 server of its own.
TESTS = $(RUN) -m pytest --durations 10 --durations-min 5 -n auto --dist loadfile --no-loadscope-reorder
PRODUCTION = MOTHERLODE_TEST_PROFILE=production $(TESTS)
JOURNEYS = $(TESTS) -n 2 tests/journeys

help:  ## this list
	@sed -n 's/^\([a-z-]*\):.*  ## /\1\t/p' $(MAKEFILE_LIST) | while IFS="$$(printf '\t')" read -r name text; do printf '  make %-16s %s\n' "$$name" "$$text"; done

setup:  ## install everything into .venv and build the web application (TORCH_INDEX_URL=... picks another torch build)
	$(SETUP)

dev-setup:
	$(SETUP) --dev

demo: setup  ## start the platform and close the loop on real images; TASK=detection on traffic signs; EXIT=1 stops it again afterwards
	@$(RUN) -m embedded up --detach
	@$(RUN) -m demo $(if $(TASK),--task $(TASK)); code=$$?; $(if $(EXIT),$(RUN) -m embedded down;) exit $$code

up: setup  ## start the platform on http://127.0.0.1:8000 (PORT=... picks another port); Ctrl-C stops it
	@exec $(RUN) -m embedded up

down:  ## stop the platform
	@$(RUN) -m embedded down

restart: setup  ## put the present code into service while the platform serves: migrations, then process by process
	@$(RUN) -m embedded restart

status:  ## say what is running, and what CPU and memory it takes
	@$(RUN) -m embedded status

test:  ## set up and run the tests: embedded profile, production profile, browser (ARGS=... the first alone)
	$(SETUP) --dev --browser
	@code=0; echo "-- the embedded profile: SQLite, Valkey, the S3 server --"; \
	  $(TESTS) -m "not production and not clock and not browser" $(ARGS) || code=$$?; $(if $(ARGS),, \
	  echo "-- the production profile: PostgreSQL, RabbitMQ, the S3 server --"; \
	  $(PRODUCTION) -m "(both or production) and not clock" || code=$$?; \
	  echo "-- journeys in a browser --"; \
	  $(JOURNEYS) -m "browser and not clock" || code=$$?;) exit $$code

test-full:  ## every test, on both profiles, with many examples of each law (hours)
	$(SETUP) --dev --browser
	@export MOTHERLODE_TEST_FULL=1; code=0; $(TESTS) -m "not browser" $(ARGS) || code=$$?; $(if $(ARGS),, \
	  $(PRODUCTION) -m "not browser" || code=$$?; $(JOURNEYS) -m browser || code=$$?;) exit $$code

check: dev-setup  ## lint, types, dependency rules, schema drift, frontend
	@$(RUN) -m embedded.checks

lock: dev-setup  ## resolve requirements/*.in into the locks (minutes)
	@$(RUN) -m embedded.lock

audit: dev-setup  ## ask the advisory databases about every pinned package (needs the internet)
	@$(RUN) -m embedded.audit

frontend: setup  ## build the web application if its sources changed

schema: dev-setup  ## write the schema of the API, and the TypeScript and Python types made of it
	@$(RUN) -m embedded.checks --write-schema

bench-loop: dev-setup  ## labels needed: margin against random, over 20 paired seeds (ARGS="--seeds 3" for a glance)
	@$(RUN) -m bench.mining.labels $(ARGS)

bench-labels: dev-setup  ## labels that `auto` saves where labels are few, on four public sets and four made to lose (ARGS="--seeds 3 --only MNIST" for a glance)
	@$(RUN) -m bench.few_labels $(ARGS)

bench-versioning: dev-setup  ## datasets at scale beside stock DVC, with what was promised (ARGS=--quick for a glance)
	@$(RUN) -m bench.versioning $(ARGS)

bench-training: dev-setup  ## the whole training loop beside bare torch, ONNX Runtime beside torch, accuracy (ARGS=--quick for a glance)
	@$(RUN) -m bench.training $(ARGS)

bench-mining: dev-setup  ## selection, scoring and labels needed beside peers and the machine's peak (ARGS=--quick for a glance)
	@$(RUN) -m bench.mining $(ARGS)

bench-forecast: dev-setup  ## labels foretold by labels truly needed, on real learning curves (ARGS=--quick for a glance)
	@$(RUN) -m bench.forecast $(ARGS)

bench-labeling: dev-setup  ## labelling beside Label Studio, on a PostgreSQL server (ARGS=--quick for a glance)
	@$(RUN) -m bench.labeling $(ARGS)

bench-crowd: dev-setup  ## 50 annotators and 200 API clients behind the proxy of the production profile, with mining (ARGS=--quick for a glance)
	@$(RUN) -m bench.crowd $(ARGS)

bench-upgrade: dev-setup  ## web servers and workers replaced under load, from the last release and from itself, ten times each (ARGS="--times 1")
	@$(RUN) -m bench.upgrade $(ARGS)

bench-beside: dev-setup  ## users, health and small edits beside a large commit (ARGS="--profile production"; ARGS=--quick for a glance)
	@$(RUN) -m bench.beside $(ARGS)

bench-lists: dev-setup  ## every paged list of the API with 5, 50 and 5,000 rows (ARGS="--profile production"; ARGS=--quick for a glance)
	@$(RUN) -m bench.lists $(ARGS)

bench-readers: dev-setup  ## every export through the stock readers of other projects, counted box by box (a gigabyte, into build/)
	@$(RUN) -m pytest -q -s -m clock tests/datasets/readers $(ARGS)

bench-scale: dev-setup  ## one process and two that train together, beside a model of their exchange (ARGS=--quick for a glance)
	@$(RUN) -m bench.scale $(ARGS)

bench-lake: dev-setup  ## 10^8 frames in a lake beside a row for each (20 GB of disk; ARGS="--lake 1000000" for a glance)
	@$(RUN) -m bench.lake $(ARGS)

bench-ui: dev-setup  ## the web application in a real Chromium beside what was promised (ARGS=--quick for a glance)
	@$(RUN) -m bench.ui $(ARGS)

rehearse: dev-setup  ## 10^9 frames scored by 1,000 simulated workers with faults, on PostgreSQL and RabbitMQ (ARGS=--real: mining jobs of a real platform, foretold)
	@$(RUN) -m bench.rehearsal $(ARGS)

bench-gpu: dev-setup  ## the same on a GPU, and the tests that need one; says so where there is none
	@$(RUN) -m bench.training --gpu $(ARGS)
	@$(RUN) -m pytest -q -rs -m gpu tests

fuzz-api: dev-setup  ## Schemathesis with every check, as owner and as nobody, on a platform of its own (ARGS="--examples 50")
	@$(RUN) -m bench.api_fuzzing $(ARGS)

fault-matrix: dev-setup  ## each fault of processes, services and data strikes 20 times on both profiles (ARGS="--times 5 --only 4 6"; hours)
	@$(RUN) -m bench.fault_matrix $(ARGS)

screenshots: dev-setup  ## pictures of the pages, light and dark, into docs/
	@$(RUN) -m bench.screenshots $(ARGS)

clean:  ## stop the platform and remove all its state (var/)
	@if [ -x $(RUN) ] && [ -d var ]; then $(RUN) -m embedded down; fi
	@rm -rf var
