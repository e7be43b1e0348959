"""What PyTorch/XLA says about a run: its metrics report, and the HLO that it dumped."""

import re
from pathlib import Path

### BEGIN SOLUTION xla_vs_eager.torch_xla_report
### STUB def read_report(report_path, dump_path):
### STUB     """What a metrics report and a dumped module say; the keys are in the notebook."""
### STUB     raise NotImplementedError("xla_vs_eager.torch_xla_report")


def read_report(report_path, dump_path):
    """What a metrics report and a dumped module say; the keys are in the notebook."""
    report = Path(report_path).read_text(encoding="utf-8")
    dump = Path(dump_path).read_text(encoding="utf-8")
    fallbacks = {
        name: value for name, value in counters(report).items() if name.startswith("aten::")
    }
    compilations, executions = samples(report, "CompileTime"), samples(report, "ExecuteTime")
    return {
        "compilations": compilations,
        "executions": executions,
        "fallbacks": dict(sorted(fallbacks.items())),
        "fusions": len(re.findall(r"^\s*(?:ROOT )?%?[\w.-]+ = .*? fusion\(", dump, re.MULTILINE)),
        "cause": cause(compilations, executions, set(fallbacks)),
    }


def cause(compilations, executions, fallbacks):
    """What costs: an operator without a lowering, reads, shapes, or nothing."""
    if fallbacks - {READ}:
        return "fallback"
    if READ in fallbacks:
        return "reads"
    return "shapes" if 2 * compilations > executions else "healthy"


READ = "aten::_local_scalar_dense"
"""What .item() is counted as."""


def samples(report, metric):
    """TotalSamples of a metric; 0 where the report has none."""
    found = re.search(rf"^Metric: {metric}\n\s+TotalSamples: (\d+)", report, re.MULTILINE)
    return int(found[1]) if found else 0


def counters(report):
    """Value by name."""
    found = re.findall(r"^Counter: (\S+)\n\s+Value: (\d+)", report, re.MULTILINE)
    return {name: int(value) for name, value in found}


### END SOLUTION
