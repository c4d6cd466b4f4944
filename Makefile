# Every task of this repository is a target here; `make help` lists them.
# PYTHON is the interpreter that the virtual environments are made with.

PYTHON = python3
VENV = .venv
VERSIONS = 3.8 3.9 3.10 3.11 3.12 3.13
PYENV_ROOT ?= $(HOME)/.pyenv
FILE = docs/examples/context.json
INTERPRETERS = build/interpreters

# mypy 2 refuses targets below 3.10; 1.14.1 is the last one that checks 3.8 and 3.9,
# and needs a pytest and a packaging without syntax from after them.
OLD_TOOLS = mypy==1.14.1 pytest==8.3.5 packaging==25.0
OLD_TARGETS = 3.8 3.9
NEW_TARGETS = 3.10 3.14

# The highest patch release of a version, as pyenv installs it; empty if there is none.
find_python = $(shell ls -d $(PYENV_ROOT)/versions/$(1).*/bin/python$(1) 2>/dev/null \
	| grep -E '/$(subst .,\.,$(1))\.[0-9]+/bin/' | sort -V | tail -n 1)

# $(call make_venv,INTERPRETER,FOLDER,REQUIREMENTS)
define make_venv
	rm -rf $(2)
	$(1) -m venv $(2)
	$(2)/bin/python -m pip install --quiet --disable-pip-version-check $(3)
	touch $(2)/ready
endef

# $(call check_types,FOLDER,TARGETS)
check_types = for target in $(2); do echo "mypy for Python $$target:"; \
	$(1)/bin/python -m mypy --cache-dir $(1)/mypy --python-version $$target || exit 1; done

.PHONY: help test test-slow test-single test-all single check-single matrix interpreters typecheck typecheck-new typecheck-old install-check show golden bench bench-docs bench-stats clean
.PHONY: $(VERSIONS:%=test-%) $(VERSIONS:%=test-single-%) install-check-3.8 install-check-3.13

help:  ## list the targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "%-14s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)
	@awk -F '## ' '/^\$$.*## / { printf "%-14s %s\n", $$2, $$3 }' $(MAKEFILE_LIST)

test: $(VENV)/ready check-single  ## type-check and run every test with PYTHON, in a virtual environment
	$(VENV)/bin/python -m mypy --cache-dir $(VENV)/mypy
	$(VENV)/bin/python -m pytest

test-slow: $(VENV)/ready  ## run the tests that take minutes
	$(VENV)/bin/python -m pytest -m slow

test-single: $(VENV)/ready check-single  ## run every test on single/harbor.py instead of the package
	HARBOR_UNDER_TEST=single $(VENV)/bin/python -m pytest

test-all: $(VERSIONS:%=test-%)  ## run every test on every CPython from 3.8 to 3.13; an absent one fails

$(VERSIONS:%=test-%): test-%: build/venv-%/ready  ## test-3.8 ## the same on one of them
	@build/venv-$*/bin/python -V
	build/venv-$*/bin/python -m pytest -q -p no:cacheprovider

$(VERSIONS:%=test-single-%): test-single-%: build/venv-%/ready  ## test-single-3.8 ## test-single on one of them
	@build/venv-$*/bin/python -V
	HARBOR_UNDER_TEST=single build/venv-$*/bin/python -m pytest -q -p no:cacheprovider

single:  ## write single/harbor.py anew from the package
	$(PYTHON) tools/amalgamate.py

check-single:  ## compare single/harbor.py byte for byte with what the package makes
	$(PYTHON) tools/amalgamate.py --check

matrix:  ## run every test on every Python, package and single file, and list what ran; INTERPRETERS holds optional ones
	$(PYTHON) tools/matrix.py --interpreters $(INTERPRETERS)

interpreters:  ## get interpreters for the optional rows of the matrix; needs Debian and npm
	tools/get_interpreters.sh all

typecheck: typecheck-new typecheck-old  ## mypy for the oldest and the newest targets; needs PYTHON of 3.10 to 3.13

typecheck-new: build/mypy-new/ready
	$(call check_types,build/mypy-new,$(NEW_TARGETS))

typecheck-old: build/mypy-old/ready
	$(call check_types,build/mypy-old,$(OLD_TARGETS))

install-check: install-check-3.8 install-check-3.13  ## pip install, plain and editable, on the oldest and the newest

install-check-3.8 install-check-3.13: install-check-%: build/venv-%/ready
	rm -rf build/install-$*
	mkdir -p build/install-$*
	cp -r harbor setup.cfg pyproject.toml README.md LICENSE build/install-$*
	for editable in '' -e; do \
		build/venv-$*/bin/python -m venv --clear build/install-$*/venv && \
		build/install-$*/venv/bin/python -m pip install --quiet --disable-pip-version-check $$editable build/install-$* && \
		(cd build && install-$*/venv/bin/python -m harbor validate ../$(FILE)) && \
		build/install-$*/venv/bin/python -c 'from importlib.metadata import version; print(version("harbor-context"))' \
		|| exit 1; \
	done

show:  ## print the summary of FILE, a record of an agent run
	$(PYTHON) -m harbor show $(FILE)

golden:  ## record tests/data/golden anew from the real models; PYTHON must suit them
	$(PYTHON) tools/record_golden.py --venv build/golden --install --output tests/data/golden

bench: build/bench/ready  ## time reading and writing against other libraries, into build/performance.md; about 20 minutes
	build/bench/bin/python benchmarks/speed.py --output build/performance.md --plot build/performance-growth.svg

bench-docs: build/bench/ready  ## the same into docs/performance.md and its plot; PYTHON must be 3.13
	build/bench/bin/python benchmarks/speed.py --update docs/performance.md --plot docs/performance-growth.svg

bench-stats:  ## time the stats command against HARBOR_PYTHON, a Python that has Harbor
	$(PYTHON) benchmarks/stats.py --harbor-python $(HARBOR_PYTHON)

clean:  ## remove everything that the other targets made
	rm -rf build dist .venv .mypy_cache .pytest_cache *.egg-info
	find . -name __pycache__ -type d -prune -exec rm -rf {} +

$(VENV)/ready: Makefile
	$(call make_venv,$(PYTHON),$(VENV),pytest mypy)

build/mypy-new/ready: Makefile
	$(call make_venv,$(PYTHON),build/mypy-new,mypy pytest)

build/mypy-old/ready: Makefile
	$(call make_venv,$(PYTHON),build/mypy-old,$(OLD_TOOLS))

build/bench/ready: Makefile benchmarks/requirements.txt
	$(call make_venv,$(PYTHON),build/bench,-r benchmarks/requirements.txt)

build/venv-%/ready: Makefile
	@test -n "$(call find_python,$*)" || { echo "CPython $* is not under $(PYENV_ROOT)/versions" >&2; exit 1; }
	$(call make_venv,$(call find_python,$*),build/venv-$*,pytest mypy)

.PRECIOUS: build/venv-%/ready
