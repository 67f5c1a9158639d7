"""General tools that are independent of tokens: arguments, files, processes, progress."""
