"""Every value of a text: numbers, money, dates, times, ids and measures, read in one place."""
