"""The tree of branch and cut: cases are bounded and split until none is open."""
