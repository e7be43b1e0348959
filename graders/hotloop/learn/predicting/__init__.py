"""Questions about the effect of a one-line change to a person's code, asked before judging.

    own_code   the lines that the person wrote, and the changes that can be made to them
    regions    the task that each line of a file belongs to
    outcomes   the judge's record of a change, as one word that can be predicted
    judges     several judge processes that work at once
    widths     the same code with inputs of another size, judged in seconds
    survey     the same code at several sizes, and all that is true of it there
    items      the questions: changes with one outcome on which three seeds agree
    scores     Brier scores of predictions, with their interval and the score of a guess
    game       `predict("module.task")`, for a learner whose code passes

Used by a take-home's viva (`hotloop.takehome.viva`) and by the learner's game.
"""
