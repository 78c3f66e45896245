"""What the lexical scorer reads of words: tokens, an index of the evidence, features, weights."""
