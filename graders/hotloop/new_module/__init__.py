"""Makes the files of a module that does not exist yet, with one task that is judged already."""
