"""
Integrations, one package for each framework.

They record the conversation, judge the calls of each turn, and check results and answers.

Each one needs the extra of its name, such as ``pip install abs-shield[langgraph]``.
"""
