"""Everything that a `tasks.py` imports.

    from hotloop import authoring as hl

    layer_norm = hl.fills_tensor(correct=hl.Correct(cases, truth, tolerance))

The constructor of a task says how its candidate is called (`returns_tensor`, `fills_tensor`, …) and
takes the task's rungs: the classes below, or functions that take the `Session` and return one
sentence.
"""

from hotloop.core.verdict import Partly, Ruling, Verdict
from hotloop.judge.adversarial import attention, gathers, recurrences, reductions
from hotloop.judge.calls import Call, CallSpec, TensorSpec
from hotloop.judge.compare import Floats, Tolerance, compare
from hotloop.judge.constants import constant
from hotloop.judge.cuda_kernel import CudaLaunch
from hotloop.judge.dtypes import BF16, BOOL, FP16, FP32, FP64, I32, I64, U8, DType
from hotloop.judge.gpu.workload import DeviceWorkload
from hotloop.judge.matrices import matrices
from hotloop.judge.program import Program
from hotloop.judge.questions import GivenFile, Question, ask_plainly
from hotloop.judge.referee import Referee
from hotloop.judge.rung import following, rung
from hotloop.judge.rungs.answers import Answers
from hotloop.judge.rungs.answers_from import AnswersFrom
from hotloop.judge.rungs.compiles import Compiles
from hotloop.judge.rungs.correct import Case, Correct, Tensor, case
from hotloop.judge.rungs.cuda_clean import CudaClean
from hotloop.judge.rungs.cuda_compiles import CudaCompiles
from hotloop.judge.rungs.cuda_correct import CudaCorrect
from hotloop.judge.rungs.cuda_operator import Called, RightOrRefused
from hotloop.judge.rungs.cuda_traffic import CudaTraffic
from hotloop.judge.rungs.fast import Baseline, Fast
from hotloop.judge.rungs.gpu_correct import GpuCorrect
from hotloop.judge.rungs.gpu_fast import GpuFast
from hotloop.judge.rungs.gpu_refereed import GpuRefereed, GpuRefereedFast
from hotloop.judge.rungs.hidden_answers import HiddenAnswers
from hotloop.judge.rungs.holds import Holds, Look
from hotloop.judge.rungs.kernel_calls import KernelCalls
from hotloop.judge.rungs.kernel_correct import KernelCorrect
from hotloop.judge.rungs.makes import Makes
from hotloop.judge.rungs.one_pass import OnePass
from hotloop.judge.rungs.refereed import Refereed
from hotloop.judge.rungs.refereed_fast import RefereedFast
from hotloop.judge.rungs.refuses import Refuses
from hotloop.judge.rungs.traffic import ByteLevel, Traffic
from hotloop.judge.rungs.watched import Watched
from hotloop.judge.session import Session
from hotloop.judge.task import cuda_kernel, fills_tensor, operator, returns_data, returns_tensor
from hotloop.judge.verification import Rows, rows_agree
from hotloop.judge.window import Workload

__all__ = [
    "BF16",
    "BOOL",
    "FP16",
    "FP32",
    "FP64",
    "I32",
    "I64",
    "U8",
    "Answers",
    "AnswersFrom",
    "Baseline",
    "ByteLevel",
    "Call",
    "CallSpec",
    "Called",
    "Case",
    "Compiles",
    "Correct",
    "CudaClean",
    "CudaCompiles",
    "CudaCorrect",
    "CudaLaunch",
    "CudaTraffic",
    "DType",
    "DeviceWorkload",
    "Fast",
    "Floats",
    "GivenFile",
    "GpuCorrect",
    "GpuFast",
    "GpuRefereed",
    "GpuRefereedFast",
    "HiddenAnswers",
    "Holds",
    "KernelCalls",
    "KernelCorrect",
    "Look",
    "Makes",
    "OnePass",
    "Partly",
    "Program",
    "Question",
    "Referee",
    "Refereed",
    "RefereedFast",
    "Refuses",
    "RightOrRefused",
    "Rows",
    "Ruling",
    "Session",
    "Tensor",
    "TensorSpec",
    "Tolerance",
    "Traffic",
    "Verdict",
    "Watched",
    "Workload",
    "ask_plainly",
    "attention",
    "case",
    "compare",
    "constant",
    "cuda_kernel",
    "fills_tensor",
    "following",
    "gathers",
    "matrices",
    "operator",
    "recurrences",
    "reductions",
    "returns_data",
    "returns_tensor",
    "rows_agree",
    "rung",
]
