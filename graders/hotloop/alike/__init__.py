"""How alike two pieces of work are: for the reports of take-homes, and for a class."""
