"""The arguments of a call: the model's, those that the host changed, and validated ones."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import replace
from typing import Any

from pydantic import ValidationError
from pydantic_ai import ModelResponse, RunContext
from pydantic_ai.exceptions import ModelRetry, SkipToolValidation
from pydantic_ai.messages import ToolCallPart
from pydantic_core import to_jsonable_python

from abs_shield.adapters.pydantic_ai.model_messages import PlaceholderTool, as_tool_call
from abs_shield.core import ToolCall
from abs_shield.core.call_arguments import read_arguments, same

Validate = Callable[[Any], Awaitable[Any]]


class ValidatedArguments(dict[str, Any]):
    """
    The result of validating a call whose proposal was blocked; the framework passes it on.

    Attributes:
        value: The arguments for the tool.
        error: The error, if validation failed.
        changed: Whether a hook of the host changed the arguments.
    """

    def __init__(self, value: Any = None, error: Exception | None = None) -> None:
        super().__init__(value if isinstance(value, dict) else {})
        self.value = value
        self.error = error
        self.changed = False

    @property
    def is_refused(self) -> bool:
        """True if the framework rejects the arguments, too, and counts the failure."""
        return isinstance(self.error, (ValidationError, ModelRetry))

    @property
    def deferral(self) -> Exception | None:
        """The exception with which the tool's own validator asks for an approval, or None."""
        deferral: Exception | None = getattr(self.error, "deferral", None)
        return deferral


class NotRepairedError(Exception):
    """
    No hook of the host repaired the arguments of a blocked call.

    Not a validation error, so that the framework does not create a span for a failed validation:
    the call is answered in its own span.
    """

    def __init__(self, error: Exception) -> None:
        super().__init__(str(error))
        self.error = error


async def validate_call(
    ctx: RunContext[Any], call: ToolCallPart, args: Any, handler: Validate
) -> ValidatedArguments:
    """Validate a blocked call like the framework, and record whether a hook changed it."""
    try:
        done = ValidatedArguments(await handler(args))
    except SkipToolValidation as skipped:
        done = ValidatedArguments(skipped.validated_args)
    except NotRepairedError as not_repaired:
        return ValidatedArguments(error=not_repaired.error)
    except (ValidationError, ModelRetry) as error:
        return ValidatedArguments(error=error)
    except Exception as error:
        if getattr(error, "deferral", None) is None:
            raise
        done = ValidatedArguments(getattr(error, "validated_args", None), error)
    done.changed = not _is_unchanged(ctx, call, args, done.value)
    return done


async def arguments_of(ctx: RunContext[Any], call: ToolCallPart, args: Any) -> Any:
    """
    Return the arguments for a tool that is not, or no longer, blocked.

    Raises:
        Exception: The error of the validation, if it failed.
    """
    if not isinstance(args, ValidatedArguments):
        return args
    manager = ctx.tool_manager
    if manager is not None and isinstance(ctx.tools.get(call.tool_name), PlaceholderTool):
        manager.tools = {k: v for k, v in (manager.tools or {}).items() if k != call.tool_name}
        validated = await manager.validate_tool_call(call)  # has the framework's own error
        raise validated.validation_error or ModelRetry(f"no tool is named {call.tool_name!r}")
    if args.deferral is not None:
        # the framework has wrapped the exception with which the validator asks for an approval
        raise args.deferral from None
    if args.error is not None:
        raise args.error
    return args.value


def calls_to_compare(
    ctx: RunContext[Any], call: ToolCallPart, args: Any
) -> tuple[ToolCall, ToolCall | None]:
    """Return the call that runs, and the model's own call if it differs."""
    if isinstance(args, ValidatedArguments) and args.changed:
        value = to_jsonable_python(args.value, serialize_unknown=True)
        return _unwrap(ctx, ToolCall(call.tool_name, value, call.tool_call_id)), as_tool_call(call)
    written = original_if_overridden(ctx, call)
    return as_tool_call(call) if written is None else _unwrap(ctx, as_tool_call(call)), written


def original_if_overridden(ctx: RunContext[Any], call: ToolCallPart) -> ToolCall | None:
    """
    Return the model's own call if an approval overrides its arguments; else None.

    Only an approved call can have other arguments than in the model's response.
    """
    if not ctx.tool_call_approved:
        return None
    for message in reversed(ctx.messages):
        parts = message.parts if isinstance(message, ModelResponse) else ()
        calls = [part for part in parts if isinstance(part, ToolCallPart)]
        own = [part for part in calls if part.tool_call_id == call.tool_call_id]
        if own:
            return None if any(_is_same(part, call) for part in own) else as_tool_call(own[0])
    return None


def _unwrap(ctx: RunContext[Any], call: ToolCall) -> ToolCall:
    """Return the call with the declared parameter names, if the tool has a single model."""
    tool, arguments = ctx.tools.get(call.name), call.arguments
    # the schema of such a tool has the fields of the model as its parameters
    if tool is None or not isinstance(arguments, dict) or len(arguments) != 1:
        return call
    ((name, inner),) = arguments.items()
    declared = tool.parameters_json_schema.get("properties", {})
    return (
        call if name in declared or not isinstance(inner, dict) else replace(call, arguments=inner)
    )


def _is_same(one: ToolCallPart, other: ToolCallPart) -> bool:
    if one.tool_name != other.tool_name:
        return False
    if same(one.args, other.args):
        return True
    return same(read_arguments(one.args or {}), read_arguments(other.args or {}))


def _is_unchanged(ctx: RunContext[Any], call: ToolCallPart, args: Any, value: Any) -> bool:
    """Return whether *value* is the result of validating the model's arguments."""
    manager = ctx.tool_manager
    tool = (manager.tools or {}).get(call.tool_name) if manager is not None else None
    if tool is None:
        return True
    # validated again, because validation may convert values or add defaults
    validator, context = tool.args_validator, ctx.validation_context
    try:
        if isinstance(args, str):
            return same(validator.validate_json(args or "{}", context=context), value)
        return same(validator.validate_python(args or {}, context=context), value)
    except ValidationError:
        return False
