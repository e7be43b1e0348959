"""What lies in an exported program's archive: JSON, numbers, and one pickle."""

from __future__ import annotations

import json
import pickletools
import sys
import tempfile
import zipfile
from collections import Counter
from io import BytesIO
from pathlib import Path

sys.path.append(str(Path(__file__).parent))
from encoders.kit import portable


def main() -> None:
    """Read with the standard library alone."""
    path = Path(tempfile.mkdtemp()) / "encoder.pt2"
    portable.export(0, str(path))
    with zipfile.ZipFile(path) as archive:
        parts = {name.split("/", 1)[1]: archive.read(name) for name in archive.namelist()}
    kinds = Counter(name.rsplit("/", 1)[0] for name in parts if "/" in name)
    print(dict(kinds))
    graph = json.loads(parts["models/model.json"])["graph_module"]["graph"]
    targets = Counter(node["target"].rsplit(".", 1)[0] for node in graph["nodes"])
    print("nodes outside of the branches:", targets.total())
    assert targets["torch.ops.higher_order"] == 1
    config = json.loads(parts["data/weights/model_weights_config.json"])["config"]
    assert not any(entry["use_pickle"] for entry in config.values())
    print(f"{len(config)} weights, none of them pickled")
    with zipfile.ZipFile(BytesIO(parts["data/sample_inputs/model.pt"])) as inner:
        (pickled,) = [inner.read(name) for name in inner.namelist() if name.endswith("data.pkl")]
    names = {str(arg) for op, arg, _ in pickletools.genops(pickled) if op.name == "GLOBAL"}
    print("the example of inputs is a pickle that names:", sorted(names))
    assert names
    source = Path(portable.__file__).read_text(encoding="utf-8")
    assert "class Portable" in source
    assert not any(b"class Portable" in data for data in parts.values())
    print("the source is not in it")


if __name__ == "__main__":
    main()
