"""The field of a value, which determines the other spellings that are the same value."""

from __future__ import annotations

from typing import NamedTuple

from abs_shield.text.digit_groups import is_grouped_field
from abs_shield.text.identifier_words import NATIONAL, name_words, subject_words
from abs_shield.text.phones import is_identifier_field, is_phone, is_phone_field

_FREELY_GROUPED = NATIONAL | frozenset(
    "zip zipcode postcode postal pincode plz cep plate flight".split()
)
"""Fields whose values people group freely: ``06 000``, ``20.040-002``, ``72.514.880-K``."""


_BRANCH = ("sort", "code")
_PATHS = (("path",), ("filepath",), ("file",), ("filename",))


class Field(NamedTuple):
    """
    The parameter or result field of a value.

    Attributes:
        name: Its innermost name; empty if it is unknown.
        number: Whether its values are numbers, so that leading zeros do not matter.
        phone: Whether its description says that it holds telephone numbers.
    """

    name: str = ""
    number: bool = False
    phone: bool = False

    def holds_phone(self, text: str) -> bool:
        """
        Return whether *text* may be a telephone number in this field.

        A text with the shape of a telephone number may be one, unless the name of the field is that
        of other identifiers.

        >>> [Field(name).holds_phone("555-123-2002") for name in ("phone", "to", "", "order_id")]
        [True, True, True, False]
        >>> Field("to").holds_phone("5551232002")
        False
        """
        if self.phone or is_phone_field(self.name):
            return True
        return is_phone(text) and not is_identifier_field(self.name)

    @property
    def takes_groups(self) -> bool:
        """Return whether its values may be numbers that people write in groups of digits."""
        return self.phone or not self.name or is_grouped_field(self.name)

    @property
    def is_freely_grouped(self) -> bool:
        """
        Return whether separators do not matter, as in postal codes, number plates and sort codes.

        >>> Field("postal_code").is_freely_grouped, Field("order_id").is_freely_grouped
        (True, False)
        """
        words = name_words(self.name)
        return not _FREELY_GROUPED.isdisjoint(words) or words[-2:] == _BRANCH

    @property
    def is_path(self) -> bool:
        """
        Return whether its values are paths of files, in which the folders matter.

        >>> Field("file_path").is_path, Field("ref").is_path
        (True, False)
        """
        return name_words(self.name)[-1:] in _PATHS

    def is_same(self, name: str) -> bool:
        """
        Return whether a field of a result has the same name, in any spelling.

        >>> field = Field("order_id")
        >>> field.is_same("orderId"), field.is_same("order_number"), field.is_same("user_id")
        (True, True, False)
        """
        if not (self.name and name):
            return False
        mine = subject_words(self.name)
        return name_words(self.name) == name_words(name) or (
            bool(mine) and mine == subject_words(name)
        )


NO_FIELD = Field()
ANY_FIELD = Field(number=True, phone=True)
"""Accepts every spelling, for searches in which a match only allows a value."""
