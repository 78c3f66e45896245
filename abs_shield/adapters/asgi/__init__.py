"""ASGI services: what an agent writes in a response is checked before it is sent."""

from abs_shield.adapters.asgi.middleware import AnswerMiddleware
from abs_shield.adapters.asgi.quality import QualityMiddleware, QualityRoute

__all__ = ["AnswerMiddleware", "QualityMiddleware", "QualityRoute"]
