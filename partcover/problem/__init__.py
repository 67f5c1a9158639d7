"""What is asked: words, candidates and conditions; and what an answer is."""
