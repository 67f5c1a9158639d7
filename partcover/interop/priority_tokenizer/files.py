"""Names the files of a priority tokenizer's folder."""

VOCABULARY = "vocab.json"
CONFIG = "tokenizer_config.json"
# the code that is exported too, copied from the files beside this one
CUTTER = "priority_cutter.py"
CLASS = "tokenization_priority.py"
