# Every target sets up what it needs; `make demo` and `make test` are enough on a bare machine with
# Python 3.11 or newer, its headers, a C compiler and git.
#
#   make demo      run one negotiation cycle of the example pool
#   make test      the test suite
#   make test-long more seeds of its long searches
#   make check     style, types, layers, documentation, C warnings, tables and cycles with the Python kernels
#   make bench     the benchmarks on small and medium pools, in less than five minutes
#   make bench-large  those on large pools; make bench-gate  the ratios and instructions that every change keeps
#   make fuzz      a minute of every fuzz target; make fuzz-ci: the few cases of every change
#   make fuzz-daemons ROOT=DIR  a minute of whole cycles against the real negotiator in DIR (root, Linux;
#                  fuzz/daemons/setup.sh DIR makes the folder)
#   make check-live ROOT=DIR  captures, predictions, Dask workers: a real pool of the HTCondor in DIR (root,
#                  Linux; fuzz/daemons/setup.sh DIR makes the folder); about five minutes
#   make check-release  what a release needs, on an index of its own: three kinds of installation, an upgrade
#   make fuzz-native  a minute of the C parser and the C loader each, coverage-guided and sanitized
#   make check-native  the C core without warnings, and its tests under the address and undefined
#                  behaviour sanitizers (make sanitize: those alone)
#   make vscode    the extension for Visual Studio Code, build/pieslice.vsix (npm puts its client together)
#   make man       the manual pages of the commands, in man
#   make editor-bundle  the editor of `pieslice lab` as one file, of the packages in packaging/editor (npm)
#   make docs      the documentation, in docs/_build/html
#   make clean     remove everything that these targets made
#
# PYTHON=python3.12 chooses the interpreter, VENV=... the place of the virtual environment.
# PIESLICE_PURE=1 does without a compiler.

PYTHON ?= python3
VENV ?= .venv
BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip --disable-pip-version-check --quiet
CC ?= cc
PYTEST := $(BIN)/python -m pytest -n auto --dist worksteal
FUZZ_SECONDS ?= 60
export PYTHONNOUSERSITE = 1
# Without compiled modules every process of a test compiles them anew.
unexport PYTHONPATH PYTHONDONTWRITEBYTECODE

.PHONY: demo test test-long check python-kernels check-native lint types layering man vscode docs warnings bench bench-large bench-gate
.PHONY: editor-bundle check-live check-release fuzz fuzz-ci fuzz-daemons fuzz-native sanitize clean
.DELETE_ON_ERROR:

demo: $(VENV)/installed
	$(BIN)/pieslice negotiate examples/campus

# Rewriting the assertions of all tests takes longer than collecting them: what fails is run once more with it.
test: $(VENV)/installed-test
	$(PYTEST) --assert=plain || { $(BIN)/python -m pytest --last-failed --last-failed-no-failures none; false; }

test-long: $(VENV)/installed-test
	$(PYTEST) -m long

check: lint types layering docs warnings python-kernels

# Tables of ads, readers and cycles use kernels.  Configurations, documents, the repository and what is
# evaluated for one ad use none, tests of bugs run others, and tests/csrc tries both kernels in one run.
# Commands show what tests/negotiator and tests/classad compare.
SAME_WITH_ANY_KERNELS := tests/csrc tests/policy \
  tests/negotiator/test_versions.py tests/pieslice $(wildcard tests/test_*.py tests/classad/test_eval_*.py tests/classad/test_builtins*.py) \
  $(addprefix tests/classad/test_,compiled_values.py declarations.py explain.py foreign.py reading_memory.py)
python-kernels: $(VENV)/installed-test
	CLASSAD_KERNELS=python $(PYTEST) -m "not slow" $(SAME_WITH_ANY_KERNELS:%=--ignore=%)

lint: $(VENV)/installed-dev
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

types: $(VENV)/installed-dev
	$(BIN)/mypy

layering: $(VENV)/installed-test
	$(BIN)/python -m pytest -q tests/test_layering.py

man: $(VENV)/installed
	$(BIN)/pieslice help --man man

vscode:
	$(PYTHON) editors/pack.py build/pieslice.vsix

editor-bundle:
	cd packaging/editor && npm ci && $(PYTHON) bundle.py

docs: $(VENV)/installed-dev
	$(BIN)/python -m sphinx -W --keep-going -q -b html docs docs/_build/html

warnings: $(VENV)/installed-dev
	CFLAGS=-Werror $(BIN)/python setup.py -q build_ext --force --build-lib build/warnings --build-temp build/warnings

bench: $(VENV)/installed-test
	$(BIN)/python benchmarks/goals.py small

bench-large: $(VENV)/installed-test
	$(BIN)/python benchmarks/goals.py large

bench-gate: $(VENV)/installed-test
	$(BIN)/python benchmarks/gate.py

fuzz: $(VENV)/installed-test
	$(BIN)/python -m fuzz all --seconds $(FUZZ_SECONDS)

fuzz-ci: $(VENV)/installed-test
	$(BIN)/python -m fuzz all --profile ci
	$(BIN)/python -m fuzz commands --count 200

fuzz-daemons: $(VENV)/installed-test
	$(BIN)/python -m fuzz daemons $(if $(ROOT),--root $(ROOT)) --seconds $(FUZZ_SECONDS)

fuzz-native: $(VENV)/created
	$(BIN)/python -m fuzz.nativefuzz --seconds $(FUZZ_SECONDS)

check-live: $(VENV)/installed-test
	ROOT=$(ROOT) $(BIN)/python -m pytest -q -p no:xdist -s tests/live

check-release: $(VENV)/installed-test
	$(BIN)/python -m tests.release

check-native: warnings sanitize

# The sanitized build stands beside the ordinary one; the first lines check that it is the one tested.
sanitize: $(VENV)/installed-dev
	rm -rf build/sanitize
	CFLAGS="-g -fsanitize=address,undefined -fno-sanitize-recover=all" \
	  $(BIN)/python setup.py -q build --build-lib build/sanitize --build-temp build/sanitize-objects
	export LD_PRELOAD="$$($(CC) -print-file-name=libasan.so) $$($(CC) -print-file-name=libubsan.so)" \
	  ASAN_OPTIONS=detect_leaks=0 CLASSAD_KERNELS=c PYTHONMALLOC=malloc; \
	$(BIN)/python -P -c 'import sys; sys.path.insert(0, "build/sanitize"); import classad._kernels as k; \
	  assert "sanitize" in k.__file__, k.__file__' && \
	$(BIN)/pytest -q -p no:xdist -s -p no:cacheprovider -o pythonpath=build/sanitize \
	  tests/csrc tests/classad/test_table.py tests/classad/test_table_sources.py \
	  tests/classad/test_table_vectors.py tests/classad/test_table_members.py tests/classad/test_table_sums.py \
	  tests/classad/test_parser.py tests/classad/test_grammar.py tests/classad/test_adfile_long.py

# ---- the virtual environment: a stamp file for each stage -----------------------------------------

$(VENV)/created:
	$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "Python 3.11 or newer is needed, $(PYTHON) is " + sys.version.split()[0])'
	$(PYTHON) -m venv --clear $(VENV) || { echo "the venv module does not work; on Debian: apt install python3-venv" >&2; exit 1; }
	$(PIP) install --upgrade 'pip>=25.1'
	touch $@

$(VENV)/installed: $(VENV)/created pyproject.toml setup.py $(wildcard csrc/*)
	$(PIP) install --editable . || { echo "the installation failed; it needs a C compiler and the headers of Python (on Debian: apt install gcc python3-dev), or PIESLICE_PURE=1 in the environment" >&2; exit 1; }
	touch $@

$(VENV)/installed-test: $(VENV)/installed
	$(PIP) install --group test
	$(PIP) install --only-binary :all: --group peer || echo "no htcondor wheel for this platform: the live tests will be skipped"
	touch $@

$(VENV)/installed-dev: $(VENV)/installed-test
	$(PIP) install --group dev
	touch $@

clean:
	rm -rf $(VENV) build dist docs/_build .mypy_cache .ruff_cache .pytest_cache .hypothesis
	rm -rf *.egg-info classad/_kernels*.so
	find . -name __pycache__ -type d -prune -exec rm -rf {} +
