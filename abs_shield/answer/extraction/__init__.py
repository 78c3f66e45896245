"""The claims of an answer: Markdown, sentences, and sentences that claim nothing."""
