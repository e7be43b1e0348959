"""A regular package, so that it is found before a namespace `tests`, which xDSL's wheel brings."""
