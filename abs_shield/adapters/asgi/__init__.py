"""ASGI services: the answer in a response is settled before it is sent."""

from abs_shield.adapters.asgi.middleware import AnswerMiddleware

__all__ = ["AnswerMiddleware"]
