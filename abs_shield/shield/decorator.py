"""`@shielded`: the decorator of a tool, for every kind of callable."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Awaitable, Callable, Coroutine, Iterator
from types import FunctionType
from typing import Any, Literal, ParamSpec, Protocol, TypeVar, overload

from abs_shield.core import Feedback
from abs_shield.errors import CallBlocked, PolicyError, ResultBlocked
from abs_shield.policy import Policy
from abs_shield.shield.argument_copies import as_json
from abs_shield.shield.default_shield import current_shield
from abs_shield.shield.deferred_results import aguard_items, finish_function_call, guard_items
from abs_shield.shield.guard import Guard
from abs_shield.shield.open_call import CallContext
from abs_shield.shield.shared_tools import SHARED
from abs_shield.shield.shield import Shield
from abs_shield.shield.signature import BY_NAME, Binding, Copies, bind
from abs_shield.shield.tool_inputs import declare
from abs_shield.shield.wrapper_kind import copy_function_kind

F = TypeVar("F", bound=Callable[..., Any])
P = ParamSpec("P")
R = TypeVar("R")
T = TypeVar("T")
OnBlock = Literal["raise", "return"]

_CACHE = ("cache_clear", "cache_info", "cache_parameters")


class ReturnDecorator(Protocol):
    """The decorator of ``on_block="return"``: a tool returns its result, or feedback."""

    @overload
    def __call__(  # type: ignore[overload-overlap]  # a static method can be called, too
        self, tool: staticmethod[P, R], /
    ) -> staticmethod[P, R | Feedback]: ...

    @overload
    def __call__(self, tool: classmethod[T, P, R], /) -> classmethod[T, P, R | Feedback]: ...

    @overload
    def __call__(
        self, tool: Callable[P, Coroutine[Any, Any, R]], /
    ) -> Callable[P, Coroutine[Any, Any, R | Feedback]]: ...

    @overload
    def __call__(self, tool: Callable[P, R], /) -> Callable[P, R | Feedback]: ...


@overload
def shielded(tool: F, /) -> F: ...


@overload
def shielded(
    firewall: Shield | Policy | None = None,
    /,
    *,
    name: str | None = None,
    on_block: Literal["raise"] = "raise",
    replace: bool = False,
) -> Callable[[F], F]: ...


@overload
def shielded(
    firewall: Shield | Policy | None = None,
    /,
    *,
    name: str | None = None,
    on_block: Literal["return"],
    replace: bool = False,
) -> ReturnDecorator: ...


def shielded(
    firewall: Any = None,
    /,
    *,
    name: str | None = None,
    on_block: OnBlock = "raise",
    replace: bool = False,
) -> Any:
    """
    Judge every call of the decorated tool before it runs.

    Accepts functions, async functions, generators, async generators, methods, static and class
    methods, partials and callable objects; a generator is judged when it is called.

    Args:
        firewall: A `Shield` or a `Policy`. Without one, the tool is registered for every Shield,
            and each call is judged by the Shield of the current session, else that of
            ``ABS_SHIELD_POLICY``, else one in audit mode.
        name: The tool name for the model; None for the function's own name.
        on_block: ``"raise"`` raises `CallBlocked` or `ResultBlocked`; ``"return"`` returns
            the `Feedback` in place of a result.
        replace: Replace an earlier function of the same name.

    Raises:
        PolicyError: A type hint has no JSON form, a rule names an unknown parameter, or another
            function has the name. The same function of a reloaded module is accepted, and so are
            several functions that one factory creates: each runs when it is called, but a
            dispatch by name is then refused.
    """
    if on_block not in ("raise", "return"):
        raise PolicyError(f"`on_block` is {on_block!r:.40}; it is `raise` or `return`")
    if firewall is None or isinstance(firewall, (Shield, Policy)):
        shield = Shield.of(firewall) if isinstance(firewall, Policy) else firewall
        return functools.partial(
            _decorate, shield=shield, name=name, on_block=on_block, replace=replace
        )
    if not callable(firewall) and not isinstance(firewall, (staticmethod, classmethod)):
        raise PolicyError(f"`shielded` takes a Shield or a policy, not {type(firewall).__name__}")
    return _decorate(firewall, shield=None, name=name, on_block=on_block, replace=replace)


def _decorate(
    tool: Any, *, shield: Shield | None, name: str | None, on_block: OnBlock, replace: bool
) -> Any:
    # Unwrapped here, and wrapped again around the guarded function.
    if isinstance(tool, (staticmethod, classmethod)):
        inner = _decorate(
            tool.__func__, shield=shield, name=name, on_block=on_block, replace=replace
        )
        return type(tool)(inner)
    binding = bind(tool, name=name)
    declare(binding, SHARED if shield is None else shield.registry, replace=replace)
    wrapper = _wrap(binding, _GuardFactory(binding, shield), on_block)
    _copy_attributes(wrapper, tool)
    # A callable object has no `__name__` that could be copied.
    wrapper.__name__ = getattr(tool, "__name__", binding.tool.name)
    wrapper.__shielded__ = binding
    return wrapper


def _copy_attributes(wrapper: Any, tool: Any) -> None:
    """Copy the tool's name, docstring, attributes and cache methods to the wrapper."""
    functools.update_wrapper(wrapper, tool, updated=() if isinstance(tool, type) else ("__dict__",))
    for name in _CACHE:
        if hasattr(tool, name):
            setattr(wrapper, name, getattr(tool, name))
    for name in _class_attributes(tool):
        if not hasattr(wrapper, name):
            setattr(wrapper, name, getattr(tool, name))


def _class_attributes(tool: Any) -> Iterator[str]:
    """Yield the public class attributes of a callable object, without its properties."""
    if isinstance(tool, type) or type(tool).__module__ in _MODULES_OF_CALLABLES:
        return
    # All classes but the last, which is `object`.
    for kind in type(tool).__mro__[:-1]:
        for name, value in vars(kind).items():
            is_copied = isinstance(value, _METHODS) or not hasattr(type(value), "__get__")
            if is_copied and not name.startswith("_"):
                yield name


_MODULES_OF_CALLABLES = frozenset({"builtins", "functools"})
"""Modules of plain functions, methods and partials, whose class attributes are not copied."""
_METHODS = (FunctionType, staticmethod, classmethod)


class _GuardFactory:
    """Creates the guard of each Python call of one tool."""

    __slots__ = ("_binding", "_context", "_shield")

    def __init__(self, binding: Binding, shield: Shield | None) -> None:
        self._binding = binding
        self._context = CallContext(binding=binding)
        self._shield = shield

    # Resolved at each call, because the session, and with it the Shield, may differ.
    def __call__(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> tuple[Guard, Copies]:
        """Return the guard of one call, and the copies of its values, which are judged."""
        shield = current_shield() if self._shield is None else self._shield
        arguments, copies = self._binding.arguments_and_copies(args, kwargs)
        if copies is not None:
            args, kwargs = copies
        if arguments is None:
            # A call that Python cannot bind is judged as well, so that it is logged.
            arguments = _unbound_arguments(self._binding, args, kwargs)
        guard = shield.guard_function(self._binding, arguments, self._context)
        if shield.lifecycle.approver is not None:
            guard.reread = functools.partial(self._arguments, args, kwargs)
        return guard, copies

    def _arguments(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> dict[str, Any]:
        arguments = self._binding.arguments(args, kwargs)
        return _unbound_arguments(self._binding, args, kwargs) if arguments is None else arguments


def _unbound_arguments(
    binding: Binding, args: tuple[Any, ...], kwargs: dict[str, Any]
) -> dict[str, Any]:
    """Return the arguments of a call that Python cannot bind; the schema rejects them."""
    names = [name for name in binding.signature.parameters if name not in binding.injected]
    places = dict(zip(names, args, strict=False))
    extra = {f"argument {n}": value for n, value in enumerate(args[len(names) :], len(names) + 1)}
    positional = {*places, *(name for name in names if _is_positional_only(binding, name))}
    by_name = {f"{k}{BY_NAME}" if k in positional else k: value for k, value in kwargs.items()}
    return as_json({**places, **extra, **by_name})


def _is_positional_only(binding: Binding, name: str) -> bool:
    parameter = binding.signature.parameters[name]
    return parameter.kind is parameter.POSITIONAL_ONLY


def _wrap(binding: Binding, enter: _GuardFactory, on_block: OnBlock) -> Any:
    tool = binding.function
    plain = _innermost_callable(tool)
    if inspect.iscoroutinefunction(plain):
        wrapper = _wrap_coroutine_function(tool, enter)
    elif inspect.isasyncgenfunction(plain):
        wrapper = _wrap_generator_function(tool, enter, aguard_items)
    elif inspect.isgeneratorfunction(plain):
        wrapper = _wrap_generator_function(tool, enter, guard_items)
    else:
        wrapper = _wrap_function(tool, enter)
    if on_block == "return":
        is_async = inspect.iscoroutinefunction(wrapper)
        wrapper = _areturn_feedback(wrapper) if is_async else _return_feedback(wrapper)
    return copy_function_kind(plain, wrapper)


def _innermost_callable(tool: Any) -> Any:
    """Return the callable whose kind decides the wrapper: a partial's function, or ``__call__``."""
    while isinstance(tool, functools.partial):
        tool = tool.func
    if inspect.isroutine(tool) or isinstance(tool, type):
        return tool
    return getattr(tool, "__call__", tool)  # noqa: B004


def _wrap_function(tool: Any, enter: _GuardFactory) -> Any:
    def run(*args: Any, **kwargs: Any) -> Any:
        # Not a `with` block: an awaitable result closes the guard later, when it is awaited.
        guard, copies = enter(args, kwargs)
        guard.__enter__()
        # In audit mode the function gets the caller's own objects, as without the Shield.
        if copies is not None and guard.enforces:
            args, kwargs = copies
        try:
            value = tool(*args, **kwargs)
        except BaseException as error:
            guard.__exit__(type(error), error, error.__traceback__)
            raise
        return finish_function_call(value, guard)

    return run


def _wrap_coroutine_function(tool: Any, enter: _GuardFactory) -> Any:
    async def run(*args: Any, **kwargs: Any) -> Any:
        guard, copies = enter(args, kwargs)
        async with guard:
            if copies is not None and guard.enforces:
                args, kwargs = copies
            guard.value = await tool(*args, **kwargs)
        return guard.value

    return run


def _wrap_generator_function(
    tool: Any, enter: _GuardFactory, wrap_items: Callable[[Any, Guard], Any]
) -> Any:
    def run(*args: Any, **kwargs: Any) -> Any:
        guard, copies = enter(args, kwargs)
        guard.__enter__()
        if copies is not None and guard.enforces:
            args, kwargs = copies
        # A generator runs when it is read, maybe in another task, so this context is left now.
        guard.leave()
        return wrap_items(tool(*args, **kwargs), guard)

    return run


def _return_feedback(wrapper: Any) -> Any:
    def run(*args: Any, **kwargs: Any) -> Any:
        try:
            value = wrapper(*args, **kwargs)
        except (CallBlocked, ResultBlocked) as blocked:
            return blocked.decision.feedback()
        # A plain function may return a coroutine, whose block is raised when it is awaited.
        return _await_with_feedback(value) if inspect.iscoroutine(value) else value

    return run


def _areturn_feedback(wrapper: Any) -> Any:
    async def run(*args: Any, **kwargs: Any) -> Any:
        return await _await_with_feedback(wrapper(*args, **kwargs))

    return run


async def _await_with_feedback(call: Awaitable[Any]) -> Any:
    """Return the awaited result, or the feedback if the call or its result is blocked."""
    try:
        return await call
    except (CallBlocked, ResultBlocked) as blocked:
        return blocked.decision.feedback()
