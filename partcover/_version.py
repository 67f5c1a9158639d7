#!/usr/bin/env python3
"""Holds the version; as a script it prints it for the build."""

__version__ = "0.1.0"

if __name__ == "__main__":
    print(__version__)
