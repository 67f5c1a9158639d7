"""Tables that commands, notebooks and pages show."""
