"""What becomes of somebody's own code when one line of it is changed, asked before it is judged.

    own_code   the lines of a work that are its author's, and the changes that can be made in them
    outcomes   what the judge's record says of a change, in a word that can be predicted
    widths     the same code with inputs of another size, judged in seconds
    items      the questions: changes with one outcome that three seeds agree on
    scores     Brier scores of predictions, with their interval and what guessing would get
    game       `predict("module.task")`, for a learner after they pass

A take-home's viva (`hotloop.takehome.viva`) and the learner's game are both made of these.
"""
