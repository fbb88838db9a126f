# make demo   builds Drawbridge and shows its main job; needs Go and a shell
# make test   sets up what the tests need and runs them, the editors' too
# make vsix   packs the VS Code extension with the bridge inside
# make soak   runs whole what make test runs in small
# make bench  measures the built program and prints measured ÷ target
# make otlp   builds the program with the exporter of OpenTelemetry metrics
#
# make test-go, test-vscode, test-nvim and test-plain run a part of make test;
# make pictures takes the pictures of docs/editors anew.

GO      ?= go
BIN     := bin/drawbridge
TOOLS   := .tools
VERSION := $(shell sed -n 's/^## \[\([0-9][^]]*\)\].*/\1/p' CHANGELOG.md | head -n 1)
LDFLAGS := -s -w -X main.version=$(or $(VERSION),0.0.0)
FUZZTIME ?= 10m
# One way of building for the program, the package and the tests: what is
# compiled once serves all, and the program runs beside any libc.
export CGO_ENABLED := 0
# Vetted for macOS too: all that has code of its own for each system.
PORTABLE := ./rpc/... ./shell/... ./workspace/... ./session/... ./bridge/... ./checkpoint/...

.PHONY: all build otlp demo vsix test test-go test-vscode test-nvim test-plain pictures lint setup soak bench generate fmt clean

all: build

build:
	$(GO) build -ldflags '$(LDFLAGS)' -o $(BIN) ./cmd/drawbridge
	$(GO) build -ldflags '-s -w' -o $(BIN)-guard ./cmd/drawbridge-guard

otlp:
	$(GO) build -tags otlp -ldflags '$(LDFLAGS)' -o $(BIN) ./cmd/drawbridge
	$(GO) build -ldflags '-s -w' -o $(BIN)-guard ./cmd/drawbridge-guard

demo: build
	@$(BIN) demo

# What the tests use beyond Go and git is installed into $(TOOLS), or reported
# as left out; with CI=true a test that lacks its program fails.
setup:
	@scripts/setup.sh

vsix:
	@GO='$(GO)' LDFLAGS='$(LDFLAGS)' scripts/vsix.sh

test: test-go test-vscode test-nvim test-plain

test-go: build setup
	$(GO) vet ./...
	$(GO) test -timeout 15m ./...
	$(GO) test -timeout 15m -tags jsonrpc2poison ./rpc/...
	$(GO) vet -tags otlp ./cmd/drawbridge ./internal/telemetry
	$(GO) test -timeout 15m -tags otlp ./internal/telemetry
	GOOS=darwin $(GO) vet $(PORTABLE)

test-vscode:
	@GO='$(GO)' LDFLAGS='$(LDFLAGS)' scripts/test-vscode.sh

test-nvim: build
	@scripts/test-nvim.sh

test-plain: build
	@scripts/test-plain.sh

pictures: build vsix
	@scripts/install-code-server.sh
	@.tools/node/bin/node --disable-warning=MODULE_TYPELESS_PACKAGE_JSON editors/vscode/test/e2e/pictures.ts
	@editors/nvim/test/pictures.sh

lint:
	$(GO) tool -modfile=tools.mod staticcheck ./...
	$(GO) tool -modfile=tools.mod gofumpt -l .

soak: build setup
	CGO_ENABLED=1 DRAWBRIDGE_SOAK=1 $(GO) test -race -timeout 60m ./...
	FUZZTIME=$(FUZZTIME) scripts/fuzz.sh

bench: build
	$(GO) run ./internal/bench -bin $(BIN)

generate:
	$(GO) run ./internal/wiregen
	$(GO) test ./config ./tools -update

fmt:
	gofmt -w .

clean:
	rm -rf bin dist editors/vscode/bin editors/vscode/dist editors/vscode/*.vsix
