"""Extraction of claims from an answer: Markdown blocks, sentences, and speech acts to skip."""
