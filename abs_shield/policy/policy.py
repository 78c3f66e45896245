"""A policy: tools, rules, thresholds, modes and suppressions."""

from __future__ import annotations

import functools
import inspect
import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import suppress
from functools import cached_property
from inspect import isroutine
from types import CodeType, ModuleType
from typing import Annotated, Any, Literal, Self

from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, Field, model_validator

from abs_shield.core import LAYER_NAMES, Mode
from abs_shield.core.digest import digest
from abs_shield.core.vocabularies import (
    OF_NO_TOOL,
    OPT_IN_NAMES,
    PERSONAL_DATA,
    SIGNAL_NAMES,
    VERIFICATION,
)
from abs_shield.policy.check_config import PII_KINDS, AnswerConfig, PersonalData, Verification
from abs_shield.policy.declaration_base import Declaration, Float, Int
from abs_shield.policy.inverse_tools import Inverse
from abs_shield.policy.rule import Rule
from abs_shield.policy.suppression import Suppression
from abs_shield.policy.tool_declaration import Tool
from abs_shield.session import Limits
from abs_shield.text.nearest import nearest
from abs_shield.text.safe_display import escaped, shown


def _validate_layer(layer: str | Callable[..., Any]) -> str | Callable[..., Any]:
    if callable(layer):
        if not str(getattr(layer, "__name__", "")).isidentifier():
            raise ValueError("a custom layer must be a function with a name")
        return layer
    require_layer(layer)
    return layer


def require_layer(name: str, *, also: tuple[str, ...] = ()) -> None:
    """
    Raise if no layer has this name, and none of *also*.

    Raises:
        ValueError: The name is unknown; the message contains the nearest name.
    """
    existing = [*dict.fromkeys((*LAYER_NAMES, *OPT_IN_NAMES, *also))]
    if name in existing:
        return
    near = nearest(name, existing)
    hint = f"did you mean `{near[0]}`?" if near else f"use one of {', '.join(existing)}"
    raise ValueError(f"no layer is named `{name}`; {hint}")


def _require_check(name: str, *, also: list[str]) -> None:
    """Raise if *name* is not a check that can have its own mode for a tool."""
    if name not in also:
        _require_no_signal(name)
        if name in OF_NO_TOOL:
            raise ValueError(f'an answer has no tool; use `modes={{"{name}": ...}}`')
    require_layer(name, also=(*also, VERIFICATION))


def _require_suppressible(check: str, *, also: list[str]) -> None:
    """Raise if findings of *check* cannot be suppressed."""
    if check == VERIFICATION and check not in also:
        raise ValueError(
            f"`Suppression` suppresses one signal of results, not `{VERIFICATION}` as a whole;"
            f" use one of {', '.join(SIGNAL_NAMES)}"
        )
    if check in OF_NO_TOOL and check not in also:
        raise ValueError(
            f"`Suppression` suppresses a layer or a signal, not `{check}`;"
            f' use `answer=AnswerConfig(...)`, or `modes={{"{check}": "audit"}}`'
        )
    require_layer(check, also=(*also, *SIGNAL_NAMES))


def _require_no_signal(name: str) -> None:
    if name in SIGNAL_NAMES:
        raise ValueError(
            f"`modes` names the signal `{name}`, which cannot have its own mode;"
            f" use `{VERIFICATION}`, or a Suppression"
        )


def _require_no_misspelt_layer(key: str, *, layers: tuple[str, ...]) -> None:
    """Raise if *key* looks like a misspelt layer; other keys are names of tools."""
    _require_no_signal(key)
    near = nearest(key, layers, floor=_NEAR_A_LAYER) or nearest(
        key, (VERIFICATION,), floor=_NEAR_VERIFICATION
    )
    if near:
        raise ValueError(
            f"`modes` names `{escaped(key)}`, which is neither a layer nor a tool of this policy;"
            f" did you mean `{near[0]}`?"
        )


MOST_WINDOW_CALLS = 256  # many times the default of 10; each call is compared with all of them
_NEAR_A_LAYER = 0.75  # similarity of a typing error; most names of tools are below it
_NEAR_VERIFICATION = 0.9
"""As for layers; names such as `verification_code` and `notification` are below it."""

LayerChoice = Annotated[str | Callable[..., Any], AfterValidator(_validate_layer)]
"""The name of a built-in layer, or a custom layer, a function."""


def _settings_validator(kind: type[Declaration], what: str) -> BeforeValidator:
    """Return a validator that accepts *kind*, a mapping of its fields, or False."""

    def validate(value: Any) -> Any:
        if value is False or isinstance(value, (kind, Mapping)):
            return value
        use = f"use `{kind.__name__}(...)`, or False to judge no {what}"
        raise ValueError(f"got {shown(value)}; {use}")

    return BeforeValidator(validate)


def _parse_limits(value: Any) -> Any:
    # Built here, because pydantic's message for an unknown field does not list the fields.
    return Limits(**value) if isinstance(value, Mapping) else value


def _parse_personal_data(value: Any) -> Any:
    """Return the settings: True becomes the default settings, False becomes None."""
    if isinstance(value, bool):
        return PersonalData() if value else None
    if value is None or isinstance(value, (PersonalData, Mapping)):
        return value
    # Probably the kinds: `pii="EmailAddress"` or `pii=["EmailAddress"]`.
    kinds = [value] if isinstance(value, str) else value
    raise ValueError(
        f"got {shown(value)}; use True for all kinds, or `PersonalData(kinds={_kinds_of(kinds)})`"
    )


def _kinds_of(kinds: Any) -> str:
    """Return a list of kinds as code, correctly spelt; an example if *kinds* has none."""
    is_list = isinstance(kinds, (list, tuple, set, frozenset))
    near = [nearest(kind, PII_KINDS) for kind in kinds if isinstance(kind, str)] if is_list else []
    texts = [names[0] for names in near if names]
    return f"[{', '.join(map(shown, texts[:3] or ['EmailAddress']))}]"


class Policy(Declaration):
    """
    The complete configuration of a `Shield`; created by `configure`.

    Attributes:
        mode: Whether findings are enforced (strict) or only recorded (audit).
        threshold: Sensitivity in [0, 1]; a finding of strength s counts when
            s >= 1 - threshold.
        layers: Layers to run; None for all six, an empty tuple for none.
        tools: Tools without a decorated function, and refinements of decorated functions.
        rules: Functions that reject impossible calls.
        inverses: Pairs of tools that undo each other.
        allow: Values, globs or callables accepted as targets of every tool.
        modes: Mode by layer, by tool, or by (tool, layer).
        on_suspicious: Action on a SUSPICIOUS call in strict mode: flag, approve or block.
        coercible: Verdict on a value that converts to the schema's type without loss, such as
            ``"71"`` for 71: flag is SUSPICIOUS, block is HALLUCINATED.
        on_error: Action when a check fails with an internal error; None: block in strict mode,
            allow in audit mode.
        on_log_loss: Action on a call when the store cannot record its decision.
        retries: Number of blocked attempts per tool and run after which the model is told to
            stop; at least 1.
        window: Number of calls (at most 256) and of seconds within which two calls can
            contradict each other.
        suppress: Known false positives.
        verification: Settings for judging results; False turns it off.
        answer: Settings for judging answers; False turns it off.
        pii: Personal data to detect in arguments; True for every kind, None for none.
        limits: The limits of a session's memory.
    """

    model_config = ConfigDict(ignored_types=(cached_property,))

    mode: Mode = Mode.STRICT
    # docs/detection.md measures the effect of the threshold.
    threshold: Float = Field(default=0.8, ge=0, le=1, allow_inf_nan=False)
    layers: tuple[LayerChoice, ...] | None = None
    tools: tuple[Tool, ...] = ()
    rules: tuple[Rule, ...] = ()
    inverses: tuple[Inverse, ...] = ()
    allow: tuple[Any, ...] = ()
    modes: Mapping[str | tuple[str, str], Mode] = {}
    on_suspicious: Literal["flag", "approve", "block"] = "flag"
    coercible: Literal["flag", "block"] = "flag"
    on_error: Literal["allow", "block"] | None = None
    on_log_loss: Literal["allow", "block"] = "allow"
    # two corrections are usually enough, and each costs a turn of the model
    retries: Int = Field(default=3, ge=1)
    # calls and seconds; later, the user may have asked for the opposite
    window: tuple[
        Annotated[Int, Field(ge=1, le=MOST_WINDOW_CALLS)], Annotated[Float, Field(gt=0)]
    ] = (10, 60.0)
    suppress: tuple[Suppression, ...] = ()
    verification: Annotated[
        Verification | Literal[False], _settings_validator(Verification, "results")
    ] = Verification()
    answer: Annotated[
        AnswerConfig | Literal[False], _settings_validator(AnswerConfig, "answers")
    ] = AnswerConfig()
    pii: Annotated[PersonalData | None, BeforeValidator(_parse_personal_data)] = None
    limits: Annotated[Limits, BeforeValidator(_parse_limits)] = Limits()

    @model_validator(mode="after")
    def _check_consistency(self) -> Self:
        names = self.layer_names
        _require_unique("layer", names)
        _require_unique("tool", [tool.name for tool in self.tools])
        checks = (*LAYER_NAMES, *names, VERIFICATION, *OF_NO_TOOL)
        existing = (*checks, *(tool.name for tool in self.tools))
        for key in self.modes:
            if isinstance(key, tuple):
                _require_check(key[1], also=names)
            elif key not in existing:
                _require_no_misspelt_layer(key, layers=(*LAYER_NAMES, *names))
        for suppression in self.suppress:
            _require_suppressible(suppression.check, also=names)
        return self

    @property
    def checks(self) -> list[str]:
        """Names of the checks that may have a mode: the layers, and `verification` if it is on."""
        return [*self.layer_names, *(() if self.verification is False else (VERIFICATION,))]

    @property
    def layer_names(self) -> list[str]:
        """Names of the layers that run, in order."""
        # Not `or`: None means all layers, an empty tuple none.
        chosen = LAYER_NAMES if self.layers is None else self.layers
        names = [layer if isinstance(layer, str) else layer.__name__ for layer in chosen]
        return names if self.pii is None else [*names, PERSONAL_DATA]

    @cached_property
    def revision(self) -> str:
        """Hash of the policy: its data, and the source and referenced data of its callables."""
        plain = {name: _canonical(getattr(self, name)) for name in type(self).model_fields}
        text = json.dumps(plain, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
        # 64 bits are enough for the few revisions of a policy, and short enough to read.
        return digest(text, size=8).hex()

    def audited(self) -> Policy:
        """Return this policy with every mode set to audit; nothing else changes."""
        return self._with_mode(Mode.AUDIT)

    def enforced(self) -> Policy:
        """Return this policy with every mode set to strict; nothing else changes."""
        return self._with_mode(Mode.STRICT)

    def model_copy(self, *, update: Mapping[str, Any] | None = None, deep: bool = False) -> Self:
        """
        Return a copy, with its own revision.

        Args:
            update: Fields with their new values, which are not validated.
            deep: Whether the values of the fields are copied as well.
        """
        copy = super().model_copy(update=update, deep=deep)
        # Pydantic copies the instance's `__dict__`, which has the cached property.
        copy.__dict__.pop("revision", None)
        return copy

    def _with_mode(self, mode: Mode) -> Policy:
        # A tool's own mode would take precedence over the policy's.
        tools = tuple(tool.model_copy(update={"mode": None}) for tool in self.tools)
        return self.model_copy(update={"mode": mode, "modes": {}, "tools": tools})


def _require_unique(what: str, names: list[str]) -> None:
    for name in names:
        if names.count(name) > 1:
            raise ValueError(f"{what} `{name}` is declared twice; declare it once")


def _canonical(value: Any) -> Any:
    """Return canonical data for *value*; a callable becomes its name and source."""
    if isinstance(value, BaseModel):
        return {name: _canonical(getattr(value, name)) for name in type(value).model_fields}
    if isinstance(value, Mapping):
        return {str(key): _canonical(member) for key, member in value.items()}
    if isinstance(value, (tuple, list)):
        return [_canonical(item) for item in value]
    if isinstance(value, (set, frozenset)):
        # Sorted by text, because members of different types cannot be compared.
        return sorted((_canonical(item) for item in value), key=repr)
    if isinstance(value, Rule):
        rule_data = {"sentence": value.sentence, "tools": value.tools, "takes": value.takes}
        return {**_canonical(rule_data), "rule": _source(value.function)}
    fields = getattr(value, "__dataclass_fields__", None)
    if fields is not None:
        # `compare=False` marks fields that do not affect the meaning, such as the place.
        return {n: _canonical(getattr(value, n)) for n, field in fields.items() if field.compare}
    if callable(value):
        return _source(value)
    if str(value) == object.__repr__(value):
        return type(value).__qualname__  # its text contains an address, which is not stable
    return value if isinstance(value, (str, int, float, bool, type(None))) else str(value)


def _source(function: Callable[..., Any]) -> str:
    if isinstance(function, functools.partial):
        bound = [_canonical(function.args), _canonical(function.keywords)]
        # A partial has no source itself: use its function and its bound values.
        return "\n".join(["partial", _source(function.func), json.dumps(bound, sort_keys=True)])
    name = str(getattr(function, "__qualname__", type(function).__qualname__))
    source_owner = function if isinstance(function, type) or isroutine(function) else type(function)
    # Functions that are written in C or typed into a shell have no source.
    with suppress(OSError, TypeError):
        name = f"{name}\n{inspect.getsource(source_owner)}"
    return "\n".join([name, *_referenced_data(function)])


def _referenced_data(function: Callable[..., Any]) -> Iterator[str]:
    """Yield the data that a callable reads: its closure, defaults, state and globals."""
    plain = getattr(function, "__func__", function)
    for cell in getattr(plain, "__closure__", None) or ():
        with suppress(ValueError):  # a cell that is still empty
            yield from _data_json(cell.cell_contents)
    yield from _data_json(list(getattr(plain, "__defaults__", None) or ()))
    yield from _data_json(getattr(plain, "__kwdefaults__", None) or {})
    holder = function if plain is function else getattr(function, "__self__", None)
    # Excludes modules and classes, most of whose data the callable does not read.
    if not isinstance(holder, type | ModuleType) and not isroutine(holder):
        yield from _data_lines(getattr(holder, "__dict__", {}), getattr(holder, "__dict__", {}))
    read = {
        name for code in _code_objects(getattr(plain, "__code__", None)) for name in code.co_names
    }
    yield from _data_lines(getattr(plain, "__globals__", {}), read)


def _data_lines(data: Mapping[str, Any], names: Iterable[str]) -> Iterator[str]:
    for name in sorted(names):
        # Names such as `__file__` differ by machine.
        if name in data and not name.startswith("__"):
            yield from (f"{name} = {text}" for text in _data_json(data[name]))


def _data_json(value: Any) -> Iterator[str]:
    """Yield the canonical JSON of plain data; nothing for any other value."""
    with suppress(RecursionError):  # data that contains itself
        # Nothing for empty data, which most functions have.
        if _is_data(value) and value not in ([], {}):
            yield json.dumps(_canonical(value), sort_keys=True)


def _is_data(value: Any) -> bool:
    if isinstance(value, Mapping):
        return all(map(_is_data, value)) and all(map(_is_data, value.values()))
    if isinstance(value, (tuple, list, set, frozenset)):
        return all(map(_is_data, value))
    return isinstance(value, (str, int, float, bool, type(None)))


def _code_objects(code: CodeType | None) -> Iterator[CodeType]:
    """Yield a function's code object and those of the functions inside it."""
    if code is not None:
        yield code
        for inner in code.co_consts:
            yield from _code_objects(inner) if isinstance(inner, CodeType) else ()
