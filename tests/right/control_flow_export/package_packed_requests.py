"""Messages of one kind and length in turn, by a map; the model by torch._inductor.package."""


### BEGIN SOLUTION control_flow_export.package
def package(exported_path, target):
    with open(exported_path, "rb") as file:
        program = torch.export.load(file)
    with torch.no_grad():
        path = torch._inductor.aoti_compile_and_package(
            program, package_path=str(target), inductor_configs={"max_autotune": False}
        )
    assert path == str(target)


### END SOLUTION


### BEGIN SOLUTION control_flow_export.package service
class Service:
    def __init__(self, path):
        self.model = torch._inductor.aoti_load_package(path)

    def __call__(self, request):
        tokens = torch.as_tensor(request["tokens"], dtype=torch.int64).unsqueeze(0)
        with torch.no_grad():
            scores = self.model(tokens, torch.tensor(int(request["kind"])))
        return [float(score) for score in scores.squeeze(0)]


def answer(package_path, requests_path):
    with open(requests_path, encoding="utf-8") as file:
        requests = json.load(file)
    return list(map(Service(package_path), requests))


### END SOLUTION
