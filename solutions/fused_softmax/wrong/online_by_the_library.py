"""Calls the library's softmax on whole rows and repairs the empty ones: right, but no recurrence.

fails: online_pass.one_pass
"""

import torch


### BEGIN SOLUTION fused_softmax.online_pass
def online_softmax(x, block=256):
    return torch.nan_to_num(torch.softmax(x.float(), dim=-1), nan=0.0).to(x.dtype)


### END SOLUTION
