# The targets people type; Meson does the work. `make` alone builds build/equipoise.
BUILD  ?= build
PREFIX ?= /usr/local
MESON_OPTIONS ?=

.PHONY: all setup demo check clean install uninstall data bench fuzz coverage check-python check-engines results format

all: setup
	@[ -f $(BUILD)/build.ninja ] || meson setup $(BUILD) --buildtype=release $(MESON_OPTIONS) >/dev/null || { meson setup $(BUILD); exit 1; }
	@ninja -C $(BUILD) --quiet

setup:
	@scripts/install-packages build

demo: all
	@$(BUILD)/equipoise demo --dir demo

check: all
	@scripts/check

data:
	@scripts/prepare-data $(FROM)

install: all
	@meson install -C $(BUILD) --no-rebuild --quiet $(if $(DESTDIR),--destdir $(DESTDIR))

clean:
	rm -rf build build-* demo
