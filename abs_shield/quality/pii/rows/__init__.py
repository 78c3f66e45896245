"""The table of recognisers, one file per group."""

# How strong the rows are: 0.9 and more for a form with a checksum that nothing else has; 0.7 and
# 0.8 for a distinctive form with a check digit; 0.5 to 0.6 for a form that other codes share;
# 0.3 for digits with a check digit, of which one in ten is valid by chance; 0.15 for any code.
# Rows below 0.5 need a context word, and the weakest ones a near one: their `reach` is shorter,
# because words such as "account" and "licence" are in many texts.
