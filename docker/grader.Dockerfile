# The grader: nbgrader, the judge and its sandbox. Build from the root of the repository:
#   docker build -f docker/grader.Dockerfile -t hotloop-grader .
# The sandbox needs user namespaces inside the container: see compose.yaml for what must be allowed.
# `docker run hotloop-grader` says first whether it has them.
FROM python:3.12-slim-bookworm

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

RUN useradd --create-home --uid 1000 grader && install -d -o grader -g grader /course
USER 1000
WORKDIR /course
VOLUME /course
CMD ["hotloop", "doctor"]
