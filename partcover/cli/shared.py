"""Declares the options that commands share; `declared` says how to read them."""

from __future__ import annotations

SHARED = """
corpus <C.tsv|I.json: Word counts, written by `count`, or an instance file.
corpora <C.tsv|I.json...: Word counts, written by `count`, or an instance file.
vocabulary <V.json: Vocabulary file, or a tokenizer that `import` reads.
-k N: Maximum number of tokens to choose. Default: k of an instance file.
--minimax: For several C.tsv: minimize the largest ratio of tokens to the reference count.
--reference own|bytes|words|N,N,…: With --minimax: the reference count of each corpus. own
  (default): its tokens with a vocabulary of its own; its bytes; its words; or the given numbers.
--start <V.json: Warm start: a vocabulary or tokenizer, tried in addition to GreedTok's.
--start-certificate <P.cert: Certificate to start from. For its own k its bound is never made worse.
--write-certificate >FILE: Write the certificate of the lower bound (.cert). A better one in FILE
  is kept.
--write-instance >I.json: Write the instance of the lower bound, for `verify`.
--resume: Resume an interrupted run from the files of -o and --write-certificate. Progress is saved
  every few seconds.
--no-cuts: Use the bound of the linear relaxation, without cutting planes.
--head N>=1: Keep only the N most frequent words in memory and read the rest from disk as needed.
--events >FILE: Write a JSON line for each phase, better vocabulary, and better bound.
--plot >FIGURE: Plot the result (.png, .svg, .pdf).
--pretokenizer PRETOKENIZER: Pre-tokenizer, as for `count`, if the input does not name one.
--rule RULE: Segmentation rule. Default: the vocabulary's own.
--key NAME = text: Text field of .jsonl and .parquet files.
--all-files: Include files with unknown extensions as plain text. Hidden files are always skipped.
Words and candidates:
--symbols bytes|chars|ints: Symbols of the words. Default: as the file says, else bytes.
--max-length N: Maximum candidate length, in symbols.
--min-count N: Minimum number of occurrences of a candidate.
--candidates <FILE: Candidate tokens: one per line, or a vocabulary file. Default: all substrings.
--required <FILE: Tokens that the vocabulary must contain.
--forbidden <FILE: Tokens that the vocabulary must not contain.
--protected <FILE: Required tokens that are always kept whole: no other token may overlap them.
--weights <FILE: Cost of a token in each word: WORD<TAB>WEIGHT per line. Default: 1.
--group groups NAME=N:WHAT...: Limit a group to N tokens. WHAT is a file of tokens or a range of
  lengths, such as 8- or 2-4.
--prefix <FILE: Tokens that the vocabulary must begin with, in this order.
Limits and execution:
--time-limit SECONDS: Stop after this many seconds.
--gap SHARE: Stop at this relative optimality gap, for example 0.1%.
--threads N>=1<=1024 = 1: Number of threads. The result does not depend on it.
--seed N = 0: Random seed.
--engine ENGINE = threads: How to run the N workers of --threads.
--scratch >DIR: Directory that all workers can read and write. Default: the directory of -o.
--plan: Show the estimated memory and stop.
Output:
-o >TABLE: Write the result as JSON, or as CSV or Markdown if FILE ends in .csv or
  .md.
--no-vocabulary: Do not print the tokens of the vocabulary.
--json: Print one JSON object.
--format result_format table|csv|markdown|json: Format of the result, printed or written by -o. csv:
  the first table only.
--wide: Show all columns and full texts. By default, the least important columns are left out if
  the terminal is too narrow.
--quiet: Show no remarks and no progress.
"""
GROUPS = {
    "conditions": "--symbols, --max-length, --min-count, --candidates, --required, --forbidden, "
    "--protected, --weights, --group, --prefix",
    "plain": "--json, --quiet",
    "tables": "--json, --format, --wide, --quiet",
}
