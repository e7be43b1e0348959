# JupyterLab with Hotloop, for one learner. Build from the root of the repository:
#   docker build -f docker/lab.Dockerfile -t hotloop-lab .
# What is checked in here is feedback; points come from the grader's image.
FROM python:3.12-slim-bookworm

# g++: torch.compile builds with it. bubblewrap: files beside the notebook are judged in a sandbox.
RUN apt-get update \
 && apt-get install -y --no-install-recommends bubblewrap g++ \
 && rm -rf /var/lib/apt/lists/*

WORKDIR /src
COPY pyproject.toml README.md LICENSE LICENSE-curriculum NOTICE ./
COPY graders graders
COPY curriculum curriculum
COPY exercises exercises
COPY solutions solutions
RUN pip install --no-cache-dir '.[course]' && rm -rf /src

RUN useradd --create-home --uid 1000 learner
USER 1000
WORKDIR /home/learner
EXPOSE 8888
# The port is published on the host's loopback only (compose.yaml); the token is in the log.
CMD ["hotloop", "lab", "--", "--ip=0.0.0.0", "--no-browser"]
