"""Creates the files of a new module, with one task that can be judged at once."""
