"""Your repositories, served by a real tritonserver on this machine: for trying things out.

    if here():
        with server("repository") as running:
            print(ask(running, ["Open the file and read it line by line."]))

`hotloop doctor --install tritonserver` makes the server's environment, once. What is measured here
is feedback: other programs run beside it, and the judge measures again in its sandbox.

In a terminal: `hotloop serving $(python served.py repository)`.
"""

import json
import shutil
import sys
from contextlib import contextmanager
from pathlib import Path

import numpy as np

try:
    from hotloop.core import paths
except ImportError:  # where the judge runs the notebook there is no server, and no module's files
    paths = None
else:
    from hotloop.engines.serving import inference, load, metrics, preflight, repository
    from hotloop.engines.serving.network_file import onnx_file
    from hotloop.engines.serving.options import Options
    from hotloop.engines.serving.server import TritonServer
    from hotloop.engines.serving.unavailable import ServingUnavailable

HERE = Path(__file__).parent
BUILT = Path.home() / ".cache" / "hotloop" / "served"
WITH_THE_JUDGE = "Not tried out here: the judge serves your files itself."


def here():
    """Whether a server can run here; says what is missing if not."""
    if paths is None:
        print(WITH_THE_JUDGE)
        return False
    try:
        preflight.require()
    except ServingUnavailable as gap:
        print(f"Not served here: {gap}")
        return False
    return True


def models():
    """The folder with the network in both versions, and its tokenizer."""
    return paths.curriculum() / "triton_ensemble" / "model"


def complete(name="repository"):
    """A copy of the folder with the large files in place; `hotloop serving` takes it, too.

    The tokenizer, the network, and for `tuned` and `canary` the Python models of `repository`;
    `by_report` has the other models' configurations from there too.
    """
    target = BUILT / name
    shutil.rmtree(target, ignore_errors=True)
    if name == "by_report":
        shutil.copytree(HERE / "repository", target)
    shutil.copytree(HERE / name, target, dirs_exist_ok=True)
    for model in ("preprocess", "postprocess"):
        for source in (HERE / "repository" / model).rglob("*"):
            place = target / model / source.relative_to(HERE / "repository" / model)
            if source.is_file() and "__pycache__" not in source.parts and not place.exists():
                place.parent.mkdir(parents=True, exist_ok=True)
                shutil.copyfile(source, place)
    put = {
        "preprocess/1/tokenizer.json": (models() / "tokenizer.json").read_bytes(),
        "bert/1/model.onnx": onnx_file(models()),
    }
    if name == "canary":
        put["bert/2/model.onnx"] = onnx_file(models(), "second.")
    for place, content in put.items():
        (target / place).parent.mkdir(parents=True, exist_ok=True)
        (target / place).write_bytes(content)
    return target


def problems(name="repository"):
    """What the static check finds: file, line, column and text."""
    if paths is None:
        return [WITH_THE_JUDGE]
    return [str(problem) for problem in repository.check(complete(name))]


@contextmanager
def server(name="repository", **options):
    """A running one; it ends with the block. When it does not come up, the error says why."""
    if found := problems(name):
        more = f" (and {len(found) - 1} more)" if len(found) > 1 else ""
        raise RuntimeError(f"the static check comes first. In {name}/, {found[0]}{more}")
    options = Options(isolation="none", **options)
    with TritonServer(complete(name), preflight.require(), options) as running:
        print(f"up after {running.wait_ready():.1f} s, HTTP on port {running.ports.http}")
        yield running


def ask(running, texts, model="topics"):
    """The model's answers to texts, in one request."""
    with inference.Client(running) as client:
        return client.infer(model, {"TEXT": inference.texts(texts)})


def some_texts(count):
    """Return new random texts, which no cache has seen."""
    rng = np.random.default_rng()
    pieces = json.loads((models() / "tokenizer.json").read_text(encoding="utf-8"))["model"]["vocab"]
    words = [piece for piece in pieces if piece.isalpha() and len(piece) > 2]
    return [" ".join(rng.choice(words, int(rng.integers(3, 25)))) for _ in range(count)]


def measure(running, clients, requests=256):
    """Requests a second and p95 in milliseconds, in a closed loop; and bert's batches meanwhile."""
    texts = [inference.texts([text]) for text in some_texts(requests)]
    given = [load.request("topics", {"TEXT": text}) for text in texts]
    with load.Clients(running, clients) as open_ones:
        open_ones.closed_loop(given[:32], 60)
        before = metrics.batch_histogram(running.statistics("bert"), "bert")
        found = open_ones.closed_loop(given, 60)
    after = metrics.batch_histogram(running.statistics("bert"), "bert")
    refused = sum(load.answer(raw).status != 200 for raw in found.answers)
    return {
        "requests a second": round(requests / found.seconds),
        "p95 ms": round(found.percentile(0.95) * 1e3, 2),
        "refused": refused,
        "batches": metrics.fewer(after, before),
    }


def analyzed(name, clients=(1, 4, 16)):
    """Your `sweep` over bert of the folder: the report of perf_analyzer."""
    import load_test

    with server(name) as running:
        tool = running.environment
        given = (str(tool.perf_analyzer), tool.variables(), running.ports.http, "bert")
        return load_test.sweep(*given, list(clients))["report"]


def compare(first, second, clients=(1, 4, 16)):
    """Two folders, both running, measured in turn A B B A: a busy machine hits both."""
    with server(first) as a, server(second) as b:
        for count in clients:
            for name, running in ((first, a), (second, b), (second, b), (first, a)):
                print(f"{count:3} clients  {name:12} {line(measure(running, count))}")


def line(found):
    """A measurement in one line; of bert's batches only the mean."""
    batches = found["batches"]
    mean = sum(size * times for size, times in batches.items()) / max(sum(batches.values()), 1)
    refused = f"  {found['refused']} refused" if found["refused"] else ""
    rate, p95 = found["requests a second"], found["p95 ms"]
    return f"{rate:5} a second  p95 {p95:6.1f} ms  {mean:4.1f} rows in a batch of bert{refused}"


if __name__ == "__main__":
    print(complete(*sys.argv[1:]))
