"""The platform's own failure, as opposed to the candidate's."""


class JudgeFault(Exception):
    """Something that the learner cannot have caused went wrong; it becomes `judge_error`."""
