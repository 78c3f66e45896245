"""Extraction of the values in a text: numbers, money, dates, times, ids and measures."""
