"""
Integrations, one package for each framework.

They record the conversation, judge its turns and check its calls.

Each needs the extra of its own name, such as ``pip install abs-shield[langgraph]``.
"""
