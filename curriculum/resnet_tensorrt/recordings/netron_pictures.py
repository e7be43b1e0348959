"""Netron's pictures of graphs, as PNG files: what its page draws, taken by Chromium.

    pip install netron pillow selenium
    python curriculum/resnet_tensorrt/recordings/netron_pictures.py --lessons [PICTURE…]
    python curriculum/resnet_tensorrt/recordings/netron_pictures.py FOLDER MODEL[@NODE]…

The first makes the graphs of the lessons by the reference solutions, and their pictures, all or
those named. It runs in the environment of the course; Netron may lie on PYTHONPATH. A .tflite file
is made by the Python that LITERT_PYTHON names.

A model is any file that Netron reads: ONNX, TFLite, .pt2, OpenVINO's .xml, an .mlpackage. With a
NODE, the picture shows what is around the first node of this name. Debian's chromium and
chromium-driver are needed.
"""

from __future__ import annotations

import base64
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import netron
from PIL import Image
from selenium import webdriver
from selenium.webdriver.common.by import By
from selenium.webdriver.support.ui import WebDriverWait

from hotloop.core import paths

PATIENCE_S = 120
LONGEST = 6000
"""Pixels: what is below is left out of the picture of a tall graph."""

COLORS = 64
"""A drawing needs no more, and its file is a third as large."""

MARGIN = 120
ARGUMENTS = (
    "--headless=new",
    "--no-sandbox",
    "--hide-scrollbars",
    "--window-size=900,900",
    # Netron's page reports what it is used for; from here it reaches nobody.
    "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE localhost",
)


AROUND = (560, 600)
"""Pixels, across and down, of a picture of what is around a node."""

ROOT = Path(__file__).resolve().parents[3]


@dataclass(frozen=True)
class Graph:
    """A graph that a lesson shows."""

    module: str
    name: str
    suffix: str
    program: str
    """Python that writes it to `target`, where the module's solved files can be imported."""

    around: str = ""
    python: str = sys.executable

    @property
    def target(self) -> Path:
        """Its picture."""
        return ROOT / "curriculum" / self.module / "figures" / f"{self.name}_by_netron.png"


OPTIMIZED = """
import onnxruntime
options = onnxruntime.SessionOptions()
options.optimized_model_filepath = target
options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_ENABLE_EXTENDED
onnxruntime.InferenceSession(target + ".as_written", options, providers=["CPUExecutionProvider"])
"""

EARLY_EXIT = """
import torch, portable
path = target + ".pt2"
portable.export(1, path)
torch.onnx.export(torch.export.load(path), f=target, dynamo=True, external_data=False)
"""

BERT = """
from pathlib import Path
from hotloop.engines.serving.network_file import onnx_file
Path(target).write_bytes(onnx_file(Path("model")))
"""

LESSONS = (
    Graph("resnet_tensorrt", "block", ".onnx", "import export; export.export(18, target)", "Add"),
    Graph(
        "resnet_tensorrt",
        "fused_block",
        ".onnx",
        f"import export; export.export(18, target + '.as_written'){OPTIMIZED}",
        "Add",
    ),
    Graph("control_flow_export", "early_exit", ".onnx", EARLY_EXIT, "If"),
    Graph(
        "yolo_on_mobile",
        "suppression",
        ".onnx",
        "import export; export.export(10, target)",
        "NonMaxSuppression",
    ),
    Graph(
        "yolo_on_mobile",
        "litert",
        ".tflite",
        "import to_litert; to_litert.to_litert(128, 128, target)",
        "Logistic",
        os.environ.get("LITERT_PYTHON", sys.executable),
    ),
    Graph("triton_ensemble", "bert", ".onnx", BERT),
    Graph("triton_ensemble", "bert_layer", ".onnx", BERT, "Softmax"),
)


def main() -> None:
    """A picture for each."""
    if sys.argv[1] == "--lessons":
        _pictures(_of_lessons(sys.argv[2:]))
        return
    folder = Path(sys.argv[1])
    folder.mkdir(parents=True, exist_ok=True)
    models = [each.partition("@") for each in sys.argv[2:]]
    _pictures(
        iter([(Path(model), folder / f"{Path(model).stem}.png", node) for model, _, node in models])
    )


def _of_lessons(names: list[str]) -> Iterator[tuple[Path, Path, str]]:
    """A file, its picture's path and the node that it is taken around, for each."""
    with tempfile.TemporaryDirectory() as folder:
        for graph in LESSONS:
            if names and graph.name not in names:
                continue
            model = Path(folder) / f"{graph.name}{graph.suffix}"
            subprocess.run(
                [graph.python, "-c", f"target = {str(model)!r}\n{graph.program}"],
                cwd=ROOT / "curriculum" / graph.module,
                env={
                    **os.environ,
                    "PYTHONPATH": os.pathsep.join(paths.beside_notebook(graph.module)),
                },
                check=True,
                stdout=subprocess.DEVNULL,
            )
            yield model, graph.target, graph.around


def _pictures(wanted: Iterator[tuple[Path, Path, str]]) -> None:
    options = webdriver.ChromeOptions()
    for argument in ARGUMENTS:
        options.add_argument(argument)
    with webdriver.Chrome(options) as browser:
        for model, target, around in wanted:
            nodes = picture(browser, model, target, around)
            print(f"{target}: {nodes} nodes, {target.stat().st_size / 1e3:.0f} kB")


def _drawn(page: webdriver.Chrome) -> bool:
    """Whether there are nodes; a question that lies over the page is answered."""
    for button in page.find_elements(By.ID, "message-button"):
        if button.is_displayed():
            button.click()
    return bool(page.find_elements(By.CSS_SELECTOR, "#canvas .graph-node"))


def picture(browser: webdriver.Chrome, model: Path, target: Path, around: str = "") -> int:
    """Draw it, and take the picture; how many nodes it shows."""
    address, port = netron.start(str(model), browse=False)
    for _ in range(2):
        # The second time in a window that all of it fits into.
        browser.get(f"http://{address}:{port}/")
        WebDriverWait(browser, PATIENCE_S).until(_drawn)
        time.sleep(2)
        width, height = browser.execute_script(
            "const box = document.getElementById('canvas').viewBox.baseVal;"
            "return [box.width, box.height]"
        )
        browser.set_window_size(int(width) + MARGIN, min(LONGEST, int(height) + MARGIN))
    nodes = len(browser.find_elements(By.CSS_SELECTOR, "#canvas .graph-node"))
    if around:
        _part(browser, target, around)
    else:
        browser.save_screenshot(str(target))
    drawn = Image.open(target).convert("RGB").quantize(COLORS, dither=Image.Dither.NONE)
    drawn.save(target, optimize=True)
    netron.stop((address, port))
    return nodes


def _part(browser: webdriver.Chrome, target: Path, around: str) -> None:
    """Of the page as it is drawn, at its own scale, what is around the first node of this name."""
    middle = browser.execute_script(
        "const nodes = [...document.querySelectorAll('#canvas .graph-node')];"
        "const node = nodes.find((each) => each.querySelector('text').textContent == arguments[0]);"
        "node.scrollIntoView({block: 'center', inline: 'center', behavior: 'instant'});"
        "const box = node.getBoundingClientRect();"
        "return [box.x + box.width / 2, box.y + box.height / 2]",
        around,
    )
    x, y = (max(0, at - size / 2) for at, size in zip(middle, AROUND, strict=True))
    clip = {"x": x, "y": y, "width": AROUND[0], "height": AROUND[1], "scale": 1}
    shot = browser.execute_cdp_cmd("Page.captureScreenshot", {"clip": clip})
    target.write_bytes(base64.b64decode(shot["data"]))


if __name__ == "__main__":
    main()
