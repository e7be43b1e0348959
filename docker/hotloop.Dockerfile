# syntax=docker/dockerfile:1
# The lab, the grader, the portal of take-home exercises and a JupyterHub with the judge as its
# service. They differ in their last, small layers only. From the root of the repository:
#   docker build -f docker/hotloop.Dockerfile --target lab -t hotloop-lab .
#   docker build -f docker/hotloop.Dockerfile --target grader -t hotloop-grader .
#   docker build -f docker/hotloop.Dockerfile --target portal -t hotloop-portal .
#   docker build -f docker/hotloop.Dockerfile --target hub -t hotloop-hub .
# One image serves with and without a GPU: CUDA comes in the wheels of PyTorch, the driver from the
# host. For machines that will never have one, an image of a third of the size:
#   --build-arg CUDA=0 --build-arg TORCH_INDEX=https://download.pytorch.org/whl/cpu
# What the sandbox needs of the engine is in compose.yaml; `hotloop doctor` says whether it has it.
ARG DEBIAN=docker.io/library/debian:12.12-slim

FROM ${DEBIAN} AS system
# bubblewrap confines; g++ and libc's headers are what torch.compile and nvcc build with.
# hadolint ignore=DL3008
RUN apt-get update \
 && apt-get install --yes --no-install-recommends \
      bubblewrap ca-certificates g++ libc6-dev libseccomp2 python3 python3-dev \
 && rm -rf /var/lib/apt/lists/*
# Both accounts are in both images: nbgrader asks who owns what was handed in.
RUN useradd --create-home --uid 1000 grader \
 && useradd --create-home --uid 1001 learner \
 && install --directory --mode 0777 /usr/local/share/nbgrader/exchange \
 && install --directory --owner grader --group grader /course

# pip and the build backend stay in stages of their own. Each stage below fills an environment that
# was empty, so that what is copied from it makes a layer of its own: the large ones change only
# when docker/requirements/ does, and both images share them.
FROM system AS tools
# hadolint ignore=DL3008
RUN apt-get update \
 && apt-get install --yes --no-install-recommends python3-venv \
 && rm -rf /var/lib/apt/lists/*
COPY docker/requirements/tools.txt /opt/requirements/
RUN python3 -m venv /opt/tools \
 && /opt/tools/bin/pip install --no-cache-dir --requirement /opt/requirements/tools.txt \
 && python3 -m venv --without-pip /opt/venv
ENV PATH=/opt/tools/bin:$PATH \
    PIP_NO_CACHE_DIR=1 \
    PIP_NO_DEPS=1 \
    PIP_ROOT_USER_ACTION=ignore

FROM tools AS torch
COPY docker/requirements/torch.txt /opt/requirements/
ARG TORCH_INDEX=
RUN PIP_INDEX_URL="${TORCH_INDEX}" pip --python /opt/venv install \
      --requirement /opt/requirements/torch.txt

FROM tools AS cuda
COPY docker/requirements/cuda.txt /opt/requirements/
ARG CUDA=1
RUN test "${CUDA}" = 0 \
 || pip --python /opt/venv install --require-hashes --requirement /opt/requirements/cuda.txt

FROM tools AS libraries
COPY docker/requirements/hotloop.txt /opt/requirements/
RUN pip --python /opt/venv install --require-hashes --requirement /opt/requirements/hotloop.txt

FROM tools AS package
WORKDIR /src
COPY . .
RUN pip wheel --no-build-isolation --wheel-dir /wheel . \
 && pip --python /opt/venv install /wheel/*.whl

# Solutions, for whoever teaches or hires: the lab's image has none.
FROM tools AS solutions
WORKDIR /src
COPY . .
RUN pip wheel --no-build-isolation --wheel-dir /wheel ./solutions \
 && pip --python /opt/venv install /wheel/*.whl

FROM system AS hotloop
ENV PATH=/opt/venv/bin:$PATH \
    PYTHONUNBUFFERED=1 \
    RAY_USAGE_STATS_ENABLED=0
COPY --from=cuda /opt/venv /opt/venv
COPY --from=torch /opt/venv /opt/venv
COPY --from=libraries /opt/venv /opt/venv
COPY --from=package /opt/venv /opt/venv

# JupyterLab for one learner. What is checked in here is feedback; points come from the grader.
FROM hotloop AS lab
COPY docker/lab/nbgrader_config.py /etc/jupyter/nbgrader_config.py
COPY docker/lab/page_config.json /opt/venv/etc/jupyter/labconfig/page_config.json
USER 1001
WORKDIR /home/learner
VOLUME /home/learner
EXPOSE 8888
HEALTHCHECK --interval=15s --timeout=10s --start-period=60s \
  CMD ["python", "-c", "import urllib.request as u; u.urlopen('http://127.0.0.1:8888/api', timeout=8)"]
# The port is published on the host's loopback only (compose.yaml); the token is in the log.
CMD ["hotloop", "lab", ".", "--", "--ip=0.0.0.0", "--no-browser"]

# The pages of a hiring team and of its candidates, and the judge, which grades what they hand in.
FROM hotloop AS portal
COPY --from=solutions /opt/venv /opt/venv
# What candidates install: `init` puts it into the team's folder, and packs bring it along.
COPY --from=package /wheel /opt/hotloop
RUN install --directory --mode 0700 --owner grader --group grader /team
ENV HOTLOOP_PORTAL_URL=http://127.0.0.1:8000 \
    HOTLOOP_TEAM=/team \
    HOTLOOP_WHEEL=/opt/hotloop
USER 1000
WORKDIR /team
VOLUME /team
EXPOSE 8000
# It answers to the name only by which candidates reach it.
HEALTHCHECK --interval=15s --timeout=10s --start-period=60s \
  CMD ["python", "-c", "import os, urllib.request as u; u.urlopen(u.Request('http://127.0.0.1:8000/health', headers={'Host': os.environ['HOTLOOP_PORTAL_URL'].split('/')[2]}), timeout=8)"]
# Plain HTTP, on the host's loopback only (compose.yaml): a proxy with TLS belongs before it.
CMD ["hotloop", "takehome", "serve", "--host", "0.0.0.0"]

# JupyterHub's own proxy, which is written in JavaScript.
FROM system AS proxy
# hadolint ignore=DL3008
RUN apt-get update \
 && apt-get install --yes --no-install-recommends nodejs npm \
 && rm -rf /var/lib/apt/lists/*
RUN npm install --global --omit=dev --prefix /opt/proxy configurable-http-proxy@5.1.0

# A JupyterHub whose learners are users of this container, and the judge for them (docker/hub). The
# hub is root, because it becomes each of them; the judge is `grader`. It holds no solutions.
FROM hotloop AS hub
# hadolint ignore=DL3008
RUN apt-get update \
 && apt-get install --yes --no-install-recommends nodejs \
 && rm -rf /var/lib/apt/lists/* \
 && install --directory --mode 0700 /hub \
 && install --directory --mode 0711 /learners \
 && install --directory --mode 0700 --owner grader --group grader /service
COPY --from=proxy /opt/proxy /opt/proxy
COPY docker/hub/jupyterhub_config.py site/pages/assets/hotloop_hub.py /etc/jupyterhub/
COPY --chmod=0755 docker/hub/hotloop-as-grader /usr/local/bin/hotloop-as-grader
ENV PATH=/opt/venv/bin:/opt/proxy/bin:$PATH \
    HOTLOOP_SERVE_COMMAND=hotloop-as-grader \
    HOTLOOP_SERVE_FOLDER=/service/hotloop-service \
    HOTLOOP_SERVE_URL=http://127.0.0.1:8010
WORKDIR /hub
VOLUME /hub /learners /service
EXPOSE 8000 8010
HEALTHCHECK --interval=15s --timeout=10s --start-period=60s \
  CMD ["python", "-c", "import urllib.request as u; u.urlopen('http://127.0.0.1:8000/hub/health', timeout=8)"]
# Plain HTTP, on the host's loopback only (compose.yaml): a proxy with TLS belongs before both ports.
CMD ["jupyterhub", "--config", "/etc/jupyterhub/jupyterhub_config.py"]

# nbgrader, the judge and its sandbox; the instructor's JupyterLab with Formgrader, and a Ray node.
FROM hotloop AS grader
COPY --from=solutions /opt/venv /opt/venv
COPY docker/grader/nbgrader_config.py /etc/hotloop/nbgrader_config.py
COPY --chmod=0755 docker/grader/in-course /usr/local/bin/in-course
USER 1000
WORKDIR /course
VOLUME /course
EXPOSE 8888
HEALTHCHECK --interval=15s --timeout=10s --start-period=60s \
  CMD ["python", "-c", "import urllib.request as u; u.urlopen('http://127.0.0.1:8888/api', timeout=8)"]
ENTRYPOINT ["in-course"]
CMD ["hotloop", "lab", ".", "--", "--ip=0.0.0.0", "--no-browser"]
