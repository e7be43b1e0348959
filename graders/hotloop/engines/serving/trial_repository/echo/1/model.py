"""A model that returns its input."""

# It runs in the server's environment; its packages are missing from Hotloop's.
# pyright: basic, reportMissingImports=false
import triton_python_backend_utils as pb


class TritonPythonModel:
    """One instance of the model."""

    def execute(self, requests):
        """Return the input text for each request."""
        same = [pb.get_input_tensor_by_name(request, "TEXT").as_numpy() for request in requests]
        return [pb.InferenceResponse([pb.Tensor("SAME", text)]) for text in same]
