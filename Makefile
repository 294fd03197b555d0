# Everything here needs Go and make alone, except test-clients, soak, pictures and deps.

export CGO_ENABLED = 0

VERSION  := $(shell git describe --tags --always --dirty 2>/dev/null || echo dev)
REVISION := $(shell git rev-parse --short=12 HEAD 2>/dev/null || echo unknown)
LDFLAGS  := -X main.version=$(VERSION) -X main.revision=$(REVISION)

# Extra flags for run and bench: make run ARGS="--http 127.0.0.1:9000".
ARGS ?=

# Acceptance samples for test-clients; they are not part of this repository.
SHIPLOG_SHARED ?= $(abspath ../shared)
export SHIPLOG_SHARED

GOLANGCI_LINT = go tool -modfile=tools/golangci-lint/go.mod golangci-lint
GOFUMPT       = go tool -modfile=tools/gofumpt/go.mod gofumpt
GO_FOLDERS    = $(wildcard cmd events projections feeds ops tools/manifests)

.DEFAULT_GOAL := help
.PHONY: help run build test test-clients soak check bench pictures fmt deps clean

help: ## Show this list
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-13s %s\n", $$1, $$2 }' $(firstword $(MAKEFILE_LIST))

run: build ## Serve the demo on http://localhost:8080 (data in ./shiplog-data)
	bin/shiplog serve --demo $(ARGS)

build: ## Build bin/shiplog
	go build -trimpath -ldflags '$(LDFLAGS)' -o bin/shiplog ./cmd/shiplog

test: ## Run the tests; needs nothing but Go
	go test ./...

test-clients: ## Run the tests with real feed readers, a browser and other NATS clients (make deps first)
	tools/clients/test

soak: ## Kill nodes and cut networks at many random moments, for about an hour (make deps first)
	SHIPLOG_SOAK=1 tools/clients/test -timeout 2h -run '^TestClient(Kill|Power|Terminate|Upgrade|Cluster|Partition|Flooded)'

check: ## Format, vet, lint and test, deployment files too: what CI runs first
	@unformatted=$$($(GOFUMPT) -l $(GO_FOLDERS)); if [ -n "$$unformatted" ]; then \
	  echo "not formatted, run make fmt:" $$unformatted; exit 1; fi
	go vet -tags clients ./...
	$(GOLANGCI_LINT) run --allow-parallel-runners ./...
	cd tools/manifests && go tool -modfile=../golangci-lint/go.mod golangci-lint run ./...
	$(MAKE) --no-print-directory test
	go -C tools/manifests test -count=1 ./...

bench: build ## Measure ingest, replay and reads against their baselines
	bin/shiplog bench $(ARGS)

pictures: ## Take the README's pictures anew (make deps first)
	tools/pictures/take

fmt: ## Format the Go code
	$(GOFUMPT) -w $(GO_FOLDERS)

deps: ## Install what test-clients needs (apt, npm and go)
	tools/clients/install

clean: ## Remove what was built or installed here (never ./shiplog-data)
	rm -rf bin tools/clients/bin tools/clients/node_modules
