"""What runs a learner's work beside the worker: simulator, nvcc, tritonserver, and traces."""
