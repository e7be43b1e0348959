"""Pads the messages of a kind to one length and asks once: neighbors change the answers.

fails: package.serves
"""


### BEGIN SOLUTION control_flow_export.package service
@torch.inference_mode()
def answer(package_path, requests_path):
    """A batch for each kind."""
    model = torch._inductor.aoti_load_package(package_path, run_single_threaded=True)
    requests = json.loads(Path(requests_path).read_text())
    answers = [None] * len(requests)
    for kind in range(3):
        chosen = [n for n, request in enumerate(requests) if request["kind"] == kind]
        if not chosen:
            continue
        longest = max(len(requests[n]["tokens"]) for n in chosen)
        rows = [requests[n]["tokens"] for n in chosen]
        batch = torch.tensor([row + [0] * (longest - len(row)) for row in rows])
        for n, scores in zip(chosen, model(batch, torch.tensor(kind)), strict=True):
            answers[n] = scores.tolist()
    return answers


### END SOLUTION
