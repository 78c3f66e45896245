"""
One file a framework: its conversation is taken in, its turns are judged, its calls admitted.

Each needs the extra of its own name, such as ``pip install abs-shield[langgraph]``.
"""
