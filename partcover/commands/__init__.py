"""The subcommands of ``partcover``, a module for each group of them."""
