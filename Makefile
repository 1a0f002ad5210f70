# Callboard. `make run` and `make test` install what they need on Debian 12 and say so.

SHELL := /bin/bash
.SHELLFLAGS := -eu -o pipefail -c
.DEFAULT_GOAL := build
.DELETE_ON_ERROR:
MAKEFLAGS += --no-print-directory

# The program knows its commit where git can be asked: in another user's folder git refuses, and Go would not build.
STAMP = -buildvcs=$(shell git status --porcelain >/dev/null 2>&1 && echo auto || echo false)
TAGS := desktop,production,webkit2_41
# So that vet, the linter, the tests' programs and the build take the same compiled packages from the cache.
export GOFLAGS := $(filter-out -trimpath,$(GOFLAGS)) -trimpath
# SQLite is C turned into Go, whose pointers are checked by nobody. It keeps the race detector: without it, what it shares with us (an
# instance of a generic type of the standard library) is linked without it too, and races are told where none are. Vet has been over
# all before.
RACE := -race -vet=off -gcflags='modernc.org/...=-d=checkptr=0'
PROGRAM := build/bin/callboard
PAGE := frontend/dist/index.html
LICENCES := frontend/public/licences.json
MODULES := frontend/node_modules/.package-lock.json
MCP_MODULES := backend/mcp/testdata/npm/node_modules/.package-lock.json
AISDK_MODULES := backend/aisdk/testdata/npm/node_modules/.package-lock.json
OPENAPI_MODULES := backend/server/testdata/npm/node_modules/.package-lock.json

BUILD_PACKAGES := gcc libc6-dev pkg-config libgtk-3-dev libwebkit2gtk-4.1-dev
# For a Docker engine of the tests' own, which needs root; one that is installed is left as it is.
DOCKER_PACKAGES := $(shell [ "$$(id -u)" != 0 ] || command -v dockerd >/dev/null || echo docker.io busybox-static)
TEST_PACKAGES := $(BUILD_PACKAGES) chromium dbus-daemon gnome-keyring xvfb xdotool x11-xserver-utils imagemagick sqlite3 fonts-dejavu-core $(DOCKER_PACKAGES)

.PHONY: build package run serve test prepare check-go check-page test-go test-page e2e bench format clean packages test-packages $(PROGRAM)

## Build and run

build: $(PROGRAM)

# Opens the window, or without a display serves the same studio and prints its address. ARGS="--folder DIR" adds flags.
run: build
	@if [ -n "$${DISPLAY:-}$${WAYLAND_DISPLAY:-}" ]; then \
		exec $(PROGRAM) $(ARGS); \
	else \
		echo "There is no display; open this address in a browser (Ctrl+C ends it):" >&2; \
		exec $(PROGRAM) serve $(ARGS); \
	fi

serve: build
	@exec $(PROGRAM) serve $(ARGS)

$(PROGRAM): packages $(PAGE)
	@go build -tags $(TAGS) $(STAMP) -buildmode=pie -ldflags "-s -w" -o $@ .

$(PAGE): $(MODULES) $(LICENCES) README.md $(shell find frontend/src frontend/public frontend/index.html frontend/vite.config.ts frontend/tsconfig.json -type f)
	@echo "Building the page" >&2
	@cd frontend && npx --no-install vite build --logLevel warn
	@touch $@

$(LICENCES): $(MODULES) go.mod $(wildcard build/licences/*.go)
	@go run ./build/licences

$(MODULES): frontend/package.json frontend/package-lock.json
	@echo "Installing the page's packages" >&2
	@cd frontend && npm ci --no-audit --no-fund --loglevel error
	@touch $@

$(MCP_MODULES): backend/mcp/testdata/npm/package.json backend/mcp/testdata/npm/package-lock.json
	@echo "Installing the MCP servers the tests speak with" >&2
	@cd backend/mcp/testdata/npm && npm ci --ignore-scripts --no-audit --no-fund --loglevel error
	@touch $@

$(AISDK_MODULES): backend/aisdk/testdata/npm/package.json backend/aisdk/testdata/npm/package-lock.json
	@echo "Installing the AI SDK the tests speak with" >&2
	@cd backend/aisdk/testdata/npm && npm ci --ignore-scripts --no-audit --no-fund --loglevel error
	@touch $@

$(OPENAPI_MODULES): backend/server/testdata/npm/package.json backend/server/testdata/npm/package-lock.json
	@echo "Installing what others read an OpenAPI document with" >&2
	@cd backend/server/testdata/npm && npm ci --ignore-scripts --no-audit --no-fund --loglevel error
	@touch $@

packages:
	@command -v go >/dev/null || { echo "Go 1.26 is needed: go is not on the PATH." >&2; exit 1; }
	@command -v npm >/dev/null || { echo "Node 20 is needed: npm is not on the PATH." >&2; exit 1; }
	@sh build/packages.sh $(BUILD_PACKAGES)

test-packages:
	@sh build/packages.sh $(TEST_PACKAGES)

## Gates

test: prepare check-go check-page test-page test-go e2e

# What is mostly waited for is waited for at once.
prepare:
	@$(MAKE) -j4 test-packages $(MODULES) $(MCP_MODULES) $(AISDK_MODULES) $(OPENAPI_MODULES)

check-go: $(PAGE) bin/golangci-lint bin/gofumpt
	@echo "== go vet, golangci-lint, gofumpt"
	@go vet -tags $(TAGS) ./...
	@go vet .
	@c=$$(go list -deps -f '{{if and .CgoFiles (not .Standard)}}{{.ImportPath}}{{end}}' .); \
		if [ -n "$$c" ]; then echo "The program without a window must build without C, which these need:" $$c; exit 1; fi
	@bin/golangci-lint run --build-tags $(TAGS) ./...
	@unformatted=$$(bin/gofumpt -l *.go backend storage build); \
		if [ -n "$$unformatted" ]; then echo "gofumpt has other ideas of:" $$unformatted; exit 1; fi

check-page: $(MODULES)
	@echo "== tsc, biome"
	@cd frontend && npx --no-install tsc --noEmit && npx --no-install biome check --error-on-warnings .

test-page: $(MODULES)
	@echo "== vitest"
	@cd frontend && npx --no-install vitest run

test-go: $(PAGE) $(MCP_MODULES) $(AISDK_MODULES) $(OPENAPI_MODULES)
	@echo "== go test -race"
	@go run ./build/testsum $(RACE) -timeout 20m -tags $(TAGS) ./...

e2e: test-packages build
	@echo "== end to end, in Chromium and in the window"
	@node frontend/e2e/run.mjs

# A Debian package and a tarball in build/bin.
package: build
	@sh build/package.sh "$$($(PROGRAM) --version | cut -d' ' -f2)"

bench: test-packages build
	@go run ./build/bench

format: bin/gofumpt $(MODULES)
	@bin/gofumpt -w *.go backend storage build
	@cd frontend && npx --no-install biome check --write .

clean:
	rm -rf bin build/bin frontend/node_modules backend/mcp/testdata/npm/node_modules backend/aisdk/testdata/npm/node_modules backend/server/testdata/npm/node_modules frontend/test-results
	find frontend/dist -mindepth 1 ! -name .gitkeep -delete

bin/golangci-lint: TOOL := github.com/golangci/golangci-lint/v2/cmd/golangci-lint
bin/gofumpt: TOOL := mvdan.cc/gofumpt
bin/golangci-lint bin/gofumpt: build/tools/go.mod
	@echo "Building $@" >&2
	@go -C build/tools build -o $(CURDIR)/$@ $(TOOL)
