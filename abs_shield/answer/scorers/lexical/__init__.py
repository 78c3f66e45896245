"""Parts of the lexical scorer: features, weights and the spelling of values."""
