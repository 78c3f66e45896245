"""What every verifier on `transformers` needs: the libraries, and premises cut to their length."""

from __future__ import annotations

from importlib import import_module
from typing import Any

from abs_shield.errors import PolicyError, ShieldError
from abs_shield.text.show import escaped, shown, told

LONGEST = 40_000
"""Characters of a premise that are read."""
BATCH = 16
_MOST_CHUNKS = 32


def libraries() -> tuple[Any, Any]:
    """
    Give torch and transformers.

    Raises:
        ShieldError: One of them is not installed.
    """
    try:
        return import_module("torch"), import_module("transformers")
    except ImportError as error:
        raise ShieldError(
            f'a verifier needs {error.name}; run `pip install "abs-shield[nli]"`'
        ) from None


def loaded(kind: str, name: str, **options: Any) -> Any:
    """
    Load a tokenizer or a model from a folder or a hub; code that comes with it is not run.

    Raises:
        ShieldError: It is not there, or no such model.
    """
    _, transformers = libraries()
    try:
        return getattr(transformers, kind).from_pretrained(name, **options)
    except (OSError, ValueError, ImportError) as error:
        said = escaped(str(error), limit=200)
        raise ShieldError(f"verifier: `{escaped(name)}` cannot be loaded: {said}") from None


def loaded_model(kind: str, name: str) -> Any:
    """
    Load a model all of whose weights are in its folder.

    `transformers` fills what is missing, such as the head of a bare encoder, with random numbers.

    Raises:
        ShieldError: It cannot be loaded, or lacks weights.
    """
    model, read = loaded(kind, name, output_loading_info=True)
    missing = sorted(read["missing_keys"])
    if missing:
        raise ShieldError(
            f"verifier: `{escaped(name)}` lacks {len(missing)} weights of this model, such as"
            f" `{escaped(missing[0])}`; use a folder of a trained model of this kind"
        )
    return model


def limit(name: str, given: Any, *, least: int) -> int:
    """
    Give a whole number that is at least *least*.

    Raises:
        PolicyError: It is none.
    """
    if type(given) is not int or given < least:
        raise PolicyError(f"verifier: `{name}` is {shown(given)}; give a number from {least}")
    return given


def readable(tokens: int, tokenizer: Any, config: Any) -> int:
    """Give how many tokens of those that are asked for a model can read at once."""
    places = getattr(config, "max_position_embeddings", None)
    most = [places] if isinstance(places, int) and places > 0 else []
    return min(tokens, int(tokenizer.model_max_length), *most)


def cut(tokenizer: Any, text: str, most: int) -> str:
    """Give the head of *text* that is at most so many tokens long."""
    return chunks(tokenizer, text, most)[0]


def chunks(tokenizer: Any, text: str, most: int) -> list[str]:
    """
    Cut *text* into stretches of at most *most* tokens that overlap by a quarter; at most 32.

    Raises:
        ShieldError: The tokenizer does not say where its tokens stand.
    """
    text = text[:LONGEST]
    try:
        read = tokenizer(text, add_special_tokens=False, return_offsets_mapping=True, verbose=False)
    except NotImplementedError as error:
        raise ShieldError(f"verifier: a fast tokenizer is needed: {told(error)}") from None
    places = read["offset_mapping"]
    if len(places) <= most:
        return [text]
    step = max(1, most - most // 4)
    starts = range(0, len(places) - most // 4, step)
    stretches = [places[at : at + most] for at in starts[:_MOST_CHUNKS]]
    return [text[part[0][0] : part[-1][1]] for part in stretches]
