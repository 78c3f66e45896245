"""ASGI middleware that checks an agent's answers in responses before they are sent."""

from abs_shield.adapters.asgi.answer_middleware import AnswerMiddleware
from abs_shield.adapters.asgi.quality_middleware import QualityMiddleware
from abs_shield.adapters.asgi.quality_route import QualityRoute

__all__ = ["AnswerMiddleware", "QualityMiddleware", "QualityRoute"]
