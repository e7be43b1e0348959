"""The append-only store of grading results and of decisions about them."""
