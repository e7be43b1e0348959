"""Runs the package on all lengths and many batches before the first answer, which is to be quick.

fails: package.cold_start
"""


### BEGIN SOLUTION control_flow_export.package service
@torch.inference_mode()
def answer(package_path, requests_path):
    """Warm first."""
    model = torch._inductor.aoti_load_package(package_path, run_single_threaded=True)
    for batch in (1, 16, 64, 96):
        for length in range(1, 129):
            for kind in range(3):
                model(torch.ones(batch, length, dtype=torch.int64), torch.tensor(kind))
    return [
        model(torch.tensor([request["tokens"]]), torch.tensor(request["kind"]))[0].tolist()
        for request in json.loads(Path(requests_path).read_text())
    ]


### END SOLUTION
