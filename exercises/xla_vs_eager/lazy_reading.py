"""What PyTorch/XLA says about a run: its metrics report, and the HLO that it dumped."""

import re
from pathlib import Path

### TASK xla_vs_eager.torch_xla_report
def read_report(report_path, dump_path):
    """What a metrics report and a dumped module say; the keys are in the notebook."""
    raise NotImplementedError("xla_vs_eager.torch_xla_report")
