# Not run on the machine on which it was written, which has no container engine.
# NVIDIA's own Triton Inference Server, with what a repository's Python backends import. To build:
#   docker build -f docker/triton.Dockerfile -t hotloop-tritonserver:24.10 docker
# `hotloop serving REPOSITORY --container` builds the same image by itself.
# 24.10 holds tritonserver 2.51.0, the release that `hotloop serving` starts without a container.
FROM nvcr.io/nvidia/tritonserver:24.10-py3

# numpy stays below 2: this release's Python backend does not support it.
RUN pip install --no-cache-dir 'numpy<2' tokenizers==0.23.3
