# A static binary, the certificates it needs to reach a NATS cluster over TLS, and
# nothing else. Runs as 65532:65532 and writes only below /data.
#
#   docker build --build-arg VERSION="$(git describe --tags --always)" \
#     --build-arg REVISION="$(git rev-parse --short=12 HEAD)" -t shiplog .
#   docker run --read-only --cap-drop ALL --security-opt no-new-privileges \
#     -p 127.0.0.1:8080:8080 -v shiplog-data:/data shiplog

FROM golang:1.26.8-bookworm AS build
WORKDIR /src
COPY go.mod go.sum ./
RUN go mod download
COPY . .
ARG VERSION=dev
ARG REVISION=unknown
RUN CGO_ENABLED=0 go build -trimpath -buildvcs=false \
      -ldflags "-s -w -X main.version=${VERSION} -X main.revision=${REVISION}" \
      -o /out/shiplog ./cmd/shiplog \
 && mkdir /out/data

FROM scratch
COPY --from=build /etc/ssl/certs/ca-certificates.crt /etc/ssl/certs/
COPY --from=build /src/LICENSE /LICENSE
COPY --from=build /out/shiplog /shiplog
COPY --from=build --chown=65532:65532 /out/data /data

# Inside a container the loopback address is the container's own, so the servers
# listen on all its addresses; what is published, and to whom, is decided by -p.
ENV SHIPLOG_DATA=/data \
    SHIPLOG_HTTP=0.0.0.0:8080 \
    SHIPLOG_OPS=0.0.0.0:9464 \
    SHIPLOG_NATS_LISTEN=0.0.0.0:4222

USER 65532:65532
VOLUME /data
EXPOSE 8080 9464 4222
STOPSIGNAL SIGTERM
HEALTHCHECK --interval=15s --timeout=5s --start-period=30s --retries=3 CMD ["/shiplog", "health"]
ENTRYPOINT ["/shiplog"]
CMD ["serve"]
