"""Gives back what it gets."""

# It runs in the server's environment, whose packages this one does not have.
# pyright: basic, reportMissingImports=false
import triton_python_backend_utils as pb


class TritonPythonModel:
    """One instance."""

    def execute(self, requests):
        """The same text for every text."""
        same = [pb.get_input_tensor_by_name(request, "TEXT").as_numpy() for request in requests]
        return [pb.InferenceResponse([pb.Tensor("SAME", text)]) for text in same]
