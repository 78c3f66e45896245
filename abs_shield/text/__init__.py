"""What a string says, and how a string from a model is shown safely."""
