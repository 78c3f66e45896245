"""Read the operations of an OpenAPI description as tools."""

from abs_shield.openapi.openapi_operations import Operations, operations

__all__ = ["Operations", "operations"]
