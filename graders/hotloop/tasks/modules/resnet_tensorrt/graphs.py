"""The programs that make the hidden graphs of the graph tasks, and read what became of them."""

from __future__ import annotations

from hotloop.judge.onnx.programs import onnx_program
from hotloop.tasks.modules.resnet_tensorrt.given_files import PROGRAMS

_FILES = {path.name: path for path in PROGRAMS.glob("graph_*.py")}
MAKERS = onnx_program("graph_makers.py", _FILES)
READER = onnx_program("graph_reader.py", _FILES)
