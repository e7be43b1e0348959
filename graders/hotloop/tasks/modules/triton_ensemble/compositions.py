"""The served repositories: the task's subject is the candidate's, the rest is the judge's."""

from __future__ import annotations

from hotloop.tasks.modules.triton_ensemble.composition import Composition, Content
from hotloop.tasks.modules.triton_ensemble.given_files import NETWORKS, PROGRAMS, TOKENIZER

SOUND = PROGRAMS / "repository"
BACKENDS = {
    "preprocess": "python",
    "bert": "onnxruntime",
    "postprocess": "python",
    "topics": "ensemble",
}
MODELS = tuple(BACKENDS)

_LARGE: dict[str, Content] = {
    "preprocess/1/tokenizer.json": TOKENIZER,
    "bert/1/model.onnx": NETWORKS[0],
}
_CODE = {
    f"{name}/1/model.py": SOUND / name / "1" / "model.py" for name in ("preprocess", "postprocess")
}
_CONFIGS = {f"{name}/config.pbtxt": SOUND / name / "config.pbtxt" for name in MODELS}
_VERSION = {"topics/1/README": SOUND / "topics" / "1" / "README"}
_ALL = {**_LARGE, **_CODE, **_CONFIGS, **_VERSION}

UNTUNED = Composition(ours=_ALL)
LAYOUT = Composition(folder="repository", ours={**_LARGE, **_CODE})


def backend(name: str) -> Composition:
    """Return one Python model of the candidate's, with a batcher that waits for more requests."""
    ours: dict[str, Content] = {f"{name}/config.pbtxt": PROGRAMS / "together" / f"{name}.pbtxt"}
    if name == "preprocess":
        ours["preprocess/1/tokenizer.json"] = TOKENIZER
    return Composition(
        theirs={f"{name}/1/model.py": f"repository/{name}/1/model.py"},
        ours=ours,
    )


def _with_configs(folder: str, names: tuple[str, ...], more: dict[str, Content]) -> Composition:
    theirs = {f"{name}/config.pbtxt": f"{folder}/{name}/config.pbtxt" for name in names}
    ours = {name: path for name, path in {**_ALL, **more}.items() if name not in theirs}
    return Composition(theirs=theirs, ours=ours)


TUNED = _with_configs("tuned", MODELS, {})
BY_REPORT = _with_configs("by_report", ("bert",), {})
CANARY = _with_configs(
    "canary",
    ("bert", "topics", "topics_canary"),
    {"bert/2/model.onnx": NETWORKS[1], "topics_canary/1/README": SOUND / "topics" / "1" / "README"},
)
