# Images of the daemon: `cpu`, and `gpu` with the libraries of CUDA that it opens. deploy/README.md says how to run them.
#
#   docker build -t acceld:cpu .
#   docker build --target gpu -t acceld:gpu .     (--build-arg CUDA=13 for CUDA 13)
#
# deploy/image.sh builds them where there is no engine, and no registry either.
#
# Libraries are Debian's packages, not those of deploy/bundle.sh: an image that is built again has their security
# updates, and scanners see which version of what is there. GPUs' drivers come from the node.

ARG BUILD_BASE=docker.io/library/debian:bookworm
ARG BASE=docker.io/library/debian:bookworm-slim
# Where programs and CUDA's libraries come from: a stage below. `given-...` takes them from the context.
ARG PROGRAMS=build
ARG CUDA_LIBRARIES=cuda

FROM ${BUILD_BASE} AS build
WORKDIR /src
COPY deploy/install_packages.sh deploy/
RUN deploy/install_packages.sh build
COPY . .
RUN cmake --preset release && cmake --build --preset release -j "$(nproc)" --target acceld accelctl
RUN deploy/container/gather.sh build/release /programs

FROM scratch AS given-programs
COPY programs /programs

FROM ${PROGRAMS} AS programs

FROM ${BASE} AS cuda
ARG CUDA=12
RUN apt-get update -q \
  && DEBIAN_FRONTEND=noninteractive apt-get install -y -q --no-install-recommends ca-certificates python3-pip \
  && rm -rf /var/lib/apt/lists/*
COPY deploy/container/cuda_libraries.sh deploy/container/cuda-${CUDA}.txt /src/
RUN /src/cuda_libraries.sh "${CUDA}" /cuda

FROM scratch AS given-cuda
COPY cuda /cuda

FROM ${CUDA_LIBRARIES} AS cuda-libraries

FROM ${BASE} AS cpu
COPY --from=programs /programs/packages.txt /usr/share/acceld/
# Without libraries of gRPC and OpenBLAS that nothing here loads, and without programs that make their user another. The
# user is numeric, so that Kubernetes can see that it is not root.
RUN apt-get update -q \
  && DEBIAN_FRONTEND=noninteractive apt-get install -y -q --no-install-recommends \
    -o Dpkg::Options::=--path-exclude='/usr/lib/*/libgrpc*_unsecure.so*' \
    -o Dpkg::Options::=--path-exclude='/usr/lib/*/libgrpc_plugin_support.so*' \
    -o Dpkg::Options::=--path-exclude='/usr/lib/*/libprotoc.so*' \
    $(cat /usr/share/acceld/packages.txt) \
  && apt-get clean \
  && rm -rf /var/lib/apt/lists/* /var/cache/debconf/*-old /var/log/apt /var/log/dpkg.log /var/log/alternatives.log \
  && rm /usr/lib/*/openblas-openmp/libblas.so.3 /usr/lib/*/openblas-openmp/liblapack.so.3 \
  && find / -xdev -type f -perm /6000 -exec chmod a-s {} + \
  && groupadd --gid 10001 acceld \
  && useradd --uid 10001 --gid 10001 --no-create-home --home-dir /nonexistent --shell /usr/sbin/nologin acceld \
  && install -d -o 10001 -g 10001 -m 0755 /run/acceld /var/cache/acceld
COPY --from=programs /programs/root /
# Defaults, which a file /etc/acceld/config.toml, variables and flags stand before. The folders of both may be volumes;
# with /tmp they are all that is written to.
ENV PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin \
    ACCELD_ADDRESS=unix:/run/acceld/acceld.sock \
    XDG_CACHE_HOME=/var/cache
USER 10001:10001
WORKDIR /
# 7070: tls://, where it is listened on. 9464: metrics, likewise.
EXPOSE 7070 9464
STOPSIGNAL SIGTERM
# One that drains is well.
HEALTHCHECK --interval=10s --timeout=6s --start-period=60s --retries=3 CMD ["/usr/bin/accelctl", "health", "--live"]
ENTRYPOINT ["/usr/bin/acceld"]
ARG VERSION=unknown
ARG REVISION=unknown
LABEL org.opencontainers.image.title="acceld" \
      org.opencontainers.image.description="A daemon that owns a node's accelerators and runs StableHLO programs" \
      org.opencontainers.image.licenses="Apache-2.0" \
      org.opencontainers.image.version="${VERSION}" \
      org.opencontainers.image.revision="${REVISION}"

FROM cpu AS gpu
USER 0:0
COPY --from=cuda-libraries /cuda /
RUN ldconfig
USER 10001:10001
# Read by NVIDIA's container toolkit, which mounts the node's driver.
ENV NVIDIA_VISIBLE_DEVICES=all \
    NVIDIA_DRIVER_CAPABILITIES=compute,utility
LABEL org.opencontainers.image.description="A daemon that owns a node's accelerators; with CUDA's libraries"

# What `docker build .` makes without --target.
FROM cpu AS default
