"""Tools that have nothing to do with tokens: arguments, files, processes, progress."""
