"""Extraction of all values of a text: numbers, money, dates, times, ids and measures."""
