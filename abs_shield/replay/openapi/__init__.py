"""An OpenAPI description read as tools: an operation each."""

from abs_shield.replay.openapi.operations import Operations, operations

__all__ = ["Operations", "operations"]
