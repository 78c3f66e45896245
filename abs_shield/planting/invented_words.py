"""Invented names, placeholders and tools for planted faults."""

from __future__ import annotations

import unicodedata

NAMES = {
    "LATIN": (
        "Quillon", "Ottoline", "Wrenna", "Zebediah", "Anneliese", "Leopold", "Rosalind", "Evander",
        "Cornelius", "Tabitha", "Isaura", "Thaddeus", "Ludmila", "Bastian", "Odalys", "Percival",
    ),
    "CJK": ("欧阳澜", "慕容栖", "钟离岫", "司徒珩", "上官沅", "诸葛霁"),
    "CYRILLIC": ("Ярополк", "Мстислава", "Любомир", "Евпраксия", "Святозар"),
    "HIRAGANA": ("みずえ", "ときわ", "かえで"),
    "KATAKANA": ("ヴァレンティン", "ロザリンド", "オットリーネ"),
    "HANGUL": ("남궁하람", "선우다온", "제갈이든"),
    "ARABIC": ("قتيبة", "زمردة", "ورقاء"),
    "GREEK": ("Θρασύβουλος", "Πολυξένη", "Αγησίλαος"),
    "HEBREW": ("אלחנן", "יוכבד", "זרובבל"),
    "DEVANAGARI": ("मृगांक", "वसुंधरा", "चित्रांगद"),
}  # fmt: skip
"""Names by the first word of the Unicode name of their letters."""
PLACEHOLDERS = (
    "<{name}>", "{{{name}}}", "your_{name}_here", "insert_value_here", "<your_id>", "sample_id",
    "UNKNOWN_ID", "TBD", "xxxxxx", "[ID]",
)  # fmt: skip
"""Texts that models write for unknown values; ``{name}`` is the parameter's name."""
TOOLS = (
    "run_sql_query", "open_terminal", "override_limit", "transfer_funds_now", "export_all_users",
    "purge_records", "approve_request", "issue_refund", "apply_discount", "verify_identity",
)  # fmt: skip
ARGUMENTS = ("bypass_confirmation", "force_override", "skip_validation_checks")
OPTIONS = ("ultra_deluxe", "quasi_standard", "super_priority")


def script_of(text: str) -> str:
    """
    Return the script of the first letter, as Unicode names it; empty without letters.

    >>> script_of("Ярополк"), script_of("上海"), script_of("12")
    ('CYRILLIC', 'CJK', '')
    """
    letter = next((letter for letter in text if letter.isalpha()), "")
    return unicodedata.name(letter, "").split(" ")[0] if letter else ""
