# The targets people type; Meson does the work. `make` alone builds build/equipoise.
BUILD  ?= build
PREFIX ?= /usr/local
MESON_OPTIONS ?=

.PHONY: all setup demo check check-sanitizers check-python wheel check-wheel check-portable check-engines data results install uninstall format docs clean

all: setup
	@[ -f $(BUILD)/build.ninja ] || meson setup $(BUILD) --prefix=$(PREFIX) $(MESON_OPTIONS) >$(BUILD).log || { cat $(BUILD).log; exit 1; }
	@rm -f $(BUILD).log
	@ninja -C $(BUILD) --quiet $(TARGETS)
	@ln -sf $(BUILD)/compile_commands.json compile_commands.json

setup:
	@scripts/install-packages build

demo: TARGETS = equipoise # and no tests
demo: all
	@$(BUILD)/equipoise demo --dir demo

check:
	@scripts/install-packages check
	@scripts/check

check-sanitizers:
	@scripts/install-packages check
	@scripts/check sanitizers

check-python:
	@scripts/install-packages python
	@scripts/check-python $(BUILD)

# A wheel for any Linux and the source archive, in build-python/dist; on bare systems; sources on other ones.
wheel:
	@scripts/install-packages python
	@scripts/wheel

check-wheel: wheel
	@scripts/install-packages wheel
	@scripts/check-wheel build-python/dist/*.whl

check-portable:
	@scripts/check-portable

check-engines:
	@scripts/check-engines

data:
	@scripts/install-packages build
	@scripts/prepare-data $(FROM)

results: all
	@BUILD=$(BUILD) scripts/results

install: all
	@meson configure $(BUILD) -Dprefix=$(PREFIX)
	@meson install -C $(BUILD) --quiet $(if $(DESTDIR),--destdir $(DESTDIR))

uninstall:
	@ninja -C $(BUILD) --quiet uninstall

format:
	@git ls-files '*.c' '*.h' | xargs clang-format -i

docs: all
	@$(BUILD)/equipoise help --markdown > docs/cli.md

# These pages as a site with search; the method as a PDF; the pictures on the pages, made again.
.PHONY: site paper figures
figures: all
	@scripts/install-packages engines
	@scripts/guide-figures
site:
	@scripts/site
paper:
	@scripts/install-packages paper
	@mkdir -p build-site/figures
	@cp docs/figures/paper.css docs/figures/*.svg build-site/figures
	@pandoc docs/paper.md --standalone --mathml --metadata title="Balanced selection by one convex program" \
	    --css figures/paper.css -t html5 -o build-site/paper.html
	@chromium --headless --no-sandbox --disable-gpu --no-pdf-header-footer --print-to-pdf=build-site/paper.pdf \
	    build-site/paper.html 2> build-site/paper.log || { cat build-site/paper.log; exit 1; }
	@echo "open build-site/paper.pdf"

clean:
	rm -rf build build-* demo

# ---- reliability: each figure of docs/security.md has its command here ----
.PHONY: faults

faults: setup
	@scripts/faults

.PHONY: fuzz fuzz-afl
SECONDS ?= 60
fuzz: setup
	@scripts/install-packages check
	@scripts/fuzz $(SECONDS)
fuzz-afl: setup
	@scripts/install-packages afl
	@scripts/fuzz --afl $(SECONDS)

# Inputs that take long for their size: the slowest found for every kind of file that others hand over.
.PHONY: slow-units
slow-units: SECONDS = 300
slow-units: setup
	@scripts/slow-units $(SECONDS)

# Numbers and ids in every executor: decided alike, or refused alike.
.PHONY: spellings
COUNT ?= 1000000
spellings:
	@scripts/check-engines spellings=$(COUNT)

.PHONY: load
load: all
	@tests/load/run $(BUILD)/equipoise

.PHONY: sanitizers
sanitizers: setup
	@scripts/install-packages sanitizers
	@scripts/sanitizers

# Figures of docs/speed.md.  PROTOTYPE=FILE compares a sweep with that NumPy program, run by PYTHON.
.PHONY: bench
PYTHON ?= python3
bench: all
	@$(BUILD)/bench/bench-oracle
	@bench/growth.py --build $(BUILD)
	@$(if $(PROTOTYPE),$(PYTHON) bench/sweep.py $(PROTOTYPE) --build $(BUILD),echo "PROTOTYPE=FILE compares a sweep too")
	@$(BUILD)/bench/bench-read
	@bench/filter.py --program $(BUILD)/equipoise

.PHONY: determinism mutants coverage
determinism: setup
	@scripts/install-packages check
	@scripts/determinism
mutants: setup
	@scripts/install-packages check
	@scripts/mutate
coverage: setup
	@scripts/coverage

.PHONY: deb
deb: setup
	@scripts/install-packages deb
	@scripts/deb
