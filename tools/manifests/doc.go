// Package manifests holds the files that put Shiplog somewhere to what will read
// them: docker-compose.yml to Compose's own loader and schema, the Kubernetes
// manifests to kustomize, the API's types and the admission check of pod security,
// the Dockerfile to BuildKit's parser, and its build steps to a look at what comes
// out. It is a module of its own, so that none of this is a dependency of the
// program; `make check` runs its tests.
//
// It starts no container: that wants an engine. What a registry has under a tag, how
// an image behaves and what a cluster makes of a manifest is not told here.
package manifests
