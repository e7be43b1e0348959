"""A class for a log with cached properties; the profile is read by splitting at two spaces."""


### BEGIN SOLUTION resnet_tensorrt.trtexec_log
from dataclasses import dataclass
from functools import cached_property


@dataclass
class Message:
    severity: int
    text: str


class Log:
    def __init__(self, path):
        text = Path(path).read_text(encoding="utf-8")
        if Path(path).suffix == ".json":
            self.messages = [Message(*pair) for pair in json.loads(text)]
            return
        self.messages = []
        for line in text.splitlines():
            parts = line.split("] ", 2)
            if line.startswith("[") and len(parts) == 3 and parts[1] in ("[E", "[W", "[I", "[V"):
                level = " EWIV".index(parts[1][1])
                self.messages.append(Message(level, parts[2].removeprefix("[TRT] ")))
            else:
                self.messages[-1].text += f"\n{line}"

    def numbers(self, start, after, before):
        return [
            float(message.text.split(after, 1)[1].split(before, 1)[0])
            for message in self.messages
            if message.text.startswith(start) and after in message.text
        ]

    def count(self, start):
        return len([m for m in self.messages if m.text.startswith(start)])

    @cached_property
    def profile(self):
        rows = {}
        for message in self.messages:
            cells = [cell for cell in message.text.strip().split("  ") if cell.strip()]
            if message.text.startswith("  ") and len(cells) >= 5 and "%" not in message.text:
                rows[cells[0]] = float(cells[-1])
        return rows

    @cached_property
    def figures(self):
        formats = {
            word
            for message in self.messages
            if "Autotuning format combination" in message.text
            for word in ("Float", "Half", "Int8")
            if word + "(" in message.text
        }
        whole = sum(self.profile.values())
        copies = sum(v for k, v in self.profile.items() if "Reformatting" in k or "reformatter" in k)
        layers = self.numbers("After ", ": ", " layers")
        asked = self.numbers("Tactic Device request", "request: ", "MB")

        def last(values):
            return values[-1] if values else None

        return {
            "warnings": sum(m.severity == 2 for m in self.messages),
            "fused": self.count("Fusing convolution weights from"),
            "layers": int(layers[-1]) if layers else None,
            "precisions": sorted(formats),
            "skipped": self.count("Skipping tactic"),
            "requested_mb": int(max(asked)) if asked else None,
            "reformat_share": copies / whole if whole else None,
            "gpu_ms": last(self.numbers("GPU Compute Time", "median = ", " ms")),
            "enqueue_ms": last(self.numbers("Enqueue Time", "median = ", " ms")),
            "build_s": last(self.numbers("Engine built in", "in ", " sec")),
        }

    @property
    def cause(self):
        found = self.figures
        if found["skipped"]:
            return "workspace" if found["requested_mb"] is None else "memory"
        if found["fused"] < self.count("ConvReluFusion: Fusing"):
            return "unfused"
        if found["precisions"] == ["Float"]:
            return "precision"
        if found["reformat_share"] is not None and found["reformat_share"] > 0.1:
            return "reformats"
        if found["gpu_ms"] is not None and found["enqueue_ms"] >= 0.9 * found["gpu_ms"]:
            return "host"
        return None


def read_log(path):
    log = Log(path)
    return {**log.figures, "cause": log.cause}


### END SOLUTION
