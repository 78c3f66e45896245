"""Legal outputs: formats of statutes, court and year of cases, codes of regulations."""

from __future__ import annotations

import re
from collections.abc import Iterator

from abs_shield.quality.guardrails.guardrail_rule import ClaimScope, Place, guardrail
from abs_shield.quality.marked_sentences import Reading

_SECTION = r"(?:\u00a7{1,2}|[Ss]ec(?:tion|s?\.)|[Ss]ections|ch\.|[Cc]hapter|art\.|pt\.)"
_NUMBER = r"\d[\w.:-]{0,20}"
_USC = re.compile(
    r"(?:(?P<title>\d{1,2}) )?(?<![A-Za-z.])U\.? ?S\.? ?C\.?(?:A\.)?(?![A-Za-z])(?P<behind>.{0,40})"
)
_SECTION_BEHIND = re.compile(rf"^,? ?{_SECTION} ?{_NUMBER}|^,? ?(?:ch\.|chs\.) ?\d")
_IN_WORDS = re.compile(rf"\b{_SECTION} {_NUMBER} of (?:the )?(?:U\.? ?S\.?|United States) Code\b")
_TITLE = re.compile(r"\b[Tt]itle \d{1,2}\b")
_OF_TITLE = re.compile(
    rf"\b{_SECTION} {_NUMBER} of [Tt]itle \d{{1,2}}\b(?!,? (?:of |in )?(?:the )?(?:U\.? ?S\.?"
    r"|United States|Code|C\.? ?F\.? ?R|[A-Z]))"
)
"""A section of a title without a code."""
_STATES = (
    r"Ala|Alaska|Ariz|Ark|Cal|Colo|Conn|Del|Fla|Ga|Haw|Idaho|Ill|Ind|Iowa|Kan|Ky|La|Me|Md|Mass|Mich"
    r"|Minn|Miss|Mo|Mont|Neb|Nev|N\.H|N\.J|N\.M|N\.Y|N\.C|N\.D|Ohio|Okla|Or|Pa|R\.I|S\.C|S\.D|Tenn"
    r"|Tex|Utah|Vt|Va|Wash|W\. Va|Wis|Wyo"
)
_STATE_CODE = re.compile(
    rf"\b(?:{_STATES})\.?(?: (?:[A-Z][a-z]{{0,10}}\.?|&|R\.)){{0,6}}? (?:Code|Stat\.|Stats\.|Law"
    rf"|Laws"
    rf"|Comp\. Stat\.|Comp\. Laws)(?: Ann\.| Serv\.)?,? (?P<behind>(?:{_SECTION}"
    rf" ?)?\d[\w./:-]{{0,20}})"
)
_PARTY = (
    r"(?:[A-Z][\w'\u2019&.-]{0,30}|R\b)(?: (?:\([^()]{1,30}\)|of|the|and|&|for|ex rel\."
    r"|[A-Z][\w'\u2019&.-]{0,30})){0,6}"
)
_CASE = re.compile(rf"(?P<one>{_PARTY}) v\.? (?P<other>{_PARTY})|\bIn re (?P<matter>{_PARTY})")
_YEAR = re.compile(r"(?<![\d.])(?:1[6-9]|20)\d\d(?!\d)")
_COURT = re.compile(
    r"\b(?:Cir\.|Circuit|Ct\.|Court|Ch\.|App\.|Supreme|Bankr\.|Tribunal|House of Lords|Privy"
    r" Council"
    r"|Chancery|UKSC|UKHL|UKPC|EWCA|EWHC|CSIH|CJEU|ECJ|ECtHR|ECHR|HCA|SCC|NZSC|BGH|BVerfG|BAG"
    r"|U\. ?S\. \d|S\. ?Ct\.|L\. ?Ed|N\.Y\.(?:2d|3d)? \d|Cal\.(?:2d|3d|4th|5th) \d|A\.?C\.? \d"
    r"|[QK]\.?B\.? \d"
    r"|W\.?L\.?R\.? \d|All E\.?R\.? \d|Exch\.? \d|E\.?R\.? \d|H\.?L\.? \d|Ch\.? ?D\.? \d|[QK]B \d"
    r"|Commission|Board of|[Aa]pp(?:lication)? [Nn]os?\.? \d|Case [CT]-\d)"
    r"|\((?:[A-Z]\. ?){0,2}(?:D\. )?(?:"
    rf"{_STATES}|Cal|Mass)\.? (?:\d{{4}}|Mar|Apr|Jan)|\b(?:[NSEWMC]\.)?D\. ?(?:{_STATES})\b",
)
_END = re.compile(r"(?<=[\w)][\w)][\w)])\. (?=[A-Z][a-z]+[ ,])")
"""The end of a sentence; abbreviations of courts are not followed by a whole word."""
_NEAR = 160  # a citation with its parallel reporters has some 100
"""Characters around a case in which its court and year are expected."""
_IN_SUIT = re.compile(
    r"\b(?:part(?:y|ies)|sides|plaintiffs?|defendants?|litigants|lawyers|attorneys|jur(?:y|ors)|trial|hearing"
    r"|settlement|lawsuit|litigation|dispute|proceedings|deposition|discovery|mediation) (?:in|of) "
    r"(?:(?:the )?(?:case|matter) of )?$",
    re.IGNORECASE,
)
_IS_SUED = re.compile(
    r"^,? (?:(?:has|have|had|was|were|is|are) )?(?:also |been |now |still |since )*"
    r"(?:settled|pending|filed|dismissed (?:last|this|on|yesterday)|withdrawn"
    r"|(?:set|scheduled|listed) for|going to trial|goes to trial|went to trial"
    r"|begins|began|resumes|dragged|drags|lasted|lasts|went on|goes on|ran (?:on|for)|took"
    r"|costs?|continues|continued|ended|drew|spanned|stretched|is ongoing|made headlines)\b"
)
"""News about a suit, which needs no citation, unlike a case that supports a statement."""
_DOCUMENT = re.compile(
    r"(?:Exhibit|Annex|Appendix|Schedule|Table|Figure|Section|Clause|Article|Version|Option|Draft"
    r"|Plan|Part|Chapter|Column|Attachment|Document)\b"
)
"""Comparisons that are not cases: `Exhibit A v. Exhibit B`."""
_LOWER = re.compile(r"^(?:In|See|Under|The|As|But|Cf|And|Compare|Unlike)$")
_AGENCY = (
    r"(?:FDA|SEC|EPA|OSHA|HHS|DOT|FCC|FTC|CMS|USDA|FINRA|IRS|Treasury|DOL|HUD|FAA|NRC|DEA|CFPB"
    r"|FDIC|"
    r"OCC|DHS|ATF|FERC|CFTC|[Ff]ederal|[Ss]tate|(?:the )?(?:applicable )?(?:federal|state)(?:"
    r" [a-z]+)?"
    r"|California|New York|Texas|Florida|Ohio|Illinois)"
)
_RULES = r"(?:regulations?|rules?|standards?)"
_REGULATION = re.compile(
    rf"\b{_AGENCY}(?: [a-z]+)? {_RULES}\b(?: [\w.-]+){{0,2}}? (?P<verb>require[sd]?|prohibit[s]?"
    rf"|mandate[s]?"
    rf"|permit[s]?|limit[s]?|define[s]?|set[s]?|provide[s]?|forbid[s]?|allow[s]?|exempt[s]?"
    rf"|state[s]?|govern[s]?)\b"
    rf"|\b(?:[Uu]nder|[Pp]ursuant to|[Vv]iolat(?:es|ed|ing|ion of)|[Cc]ompl(?:y|ies|ied) with"
    rf"|[Ii]n (?:violation"
    rf"|breach) of|[Rr]equired by|[Bb]y)(?: the)?(?: applicable)? {_AGENCY}(?: and {_AGENCY})?(?:"
    rf" [a-z]+)? {_RULES}\b"
    rf"|\b[Rr]egulations of the (?:[A-Z]\w+ ?(?:of )?){{1,5}}(?P<of>require|prohibit|mandate"
    rf"|permit|limit|define|set)s?\b"
)
_CODE = re.compile(
    r"\d{1,2} ?C\.? ?F\.? ?R\.?|\bCode Regs\b|\bCodes R\. & Regs\b|\bN\.?Y\.?C\.?R\.?R\b"
    r"|\bAdmin(?:\.|istrative) Code\b|\bCode R\.|\bRegulation \((?:EU|EC)\)|\bReg\. \u00a7|\bFed\."
    r" Reg\."
)
_CFR = re.compile(r"(?<![A-Za-z.])C\.? ?F\.? ?R\.?(?![A-Za-z])(?P<behind>.{0,30})")
_CFR_TITLE = re.compile(r"\d{1,2} ?$|\b[Tt]itle \d{1,2}(?: of the)? ?$")
_CFR_SECTION = re.compile(rf"^,? ?{_SECTION}? ?\d")
_CFR_BEHIND = re.compile(rf"^,? ?(?:{_SECTION}|[Pp]art|pts?\.)? ?{_NUMBER}")


@guardrail(
    id="LEGAL_STATUTE_FORMAT",
    task_type="legal",
    requirement="Statute citations must match the statutory code format",
    action='Regenerate with title, code and section (e.g., "42 U.S.C. \u00a7 1983")',
)
def statute_format(reading: Reading) -> Iterator[Place]:
    """Find statutes without title and section sign, such as "U.S.C. 1983"."""
    text = reading.text
    for match in _USC.finditer(text):
        behind = match["behind"]
        complete = match["title"] is not None and _SECTION_BEHIND.match(behind)
        if not complete and _is_citation(match["title"], behind):
            yield match.start(), match.start("behind")
    for match in _IN_WORDS.finditer(text):
        around = text[max(0, match.start() - 40) : match.end() + 40]
        if not _TITLE.search(around):
            yield match.span()
    for match in _OF_TITLE.finditer(text):
        yield match.span()
    for match in _STATE_CODE.finditer(text):
        behind = match["behind"]
        # with a section sign it is complete; "5/12" is how Illinois cites
        if behind[0].isdigit() and "/" not in behind:
            yield match.span()


def _is_citation(title: str | None, behind: str) -> bool:
    """Return whether a code's name cites a statute, rather than only naming the code."""
    return title is not None or re.match(rf"^,? ?(?:{_SECTION} ?)?\d", behind) is not None


@guardrail(
    id="LEGAL_CASE_CITATION",
    task_type="legal",
    requirement="Case citations must include court and year",
    action='Regenerate with court and year (e.g., "Smith v. Jones, 123 F.3d 456 (9th Cir. 1997)")',
)
def case_citation(reading: Reading) -> Iterator[Place]:
    """Find cases without court and year, such as "Smith v. Jones"."""
    cited = [*_CASE.finditer(reading.text)]
    # a case is cited in full once, and by its short name afterwards
    complete = {_key(match) for n, match in enumerate(cited) if _is_complete(reading, cited, n)}
    for match in cited:
        if _DOCUMENT.search(match["one"] or "") and _DOCUMENT.search(match["other"] or ""):
            continue
        if _key(match) not in complete and not _is_news(reading.text, match):
            yield match.span()


def _is_news(text: str, match: re.Match[str]) -> bool:
    """Return whether a case is only mentioned: `the parties in Acme v. Globex settled`."""
    # 60 characters: enough for a phrase of the patterns, such as "settlement in the matter of"
    before = text[max(0, match.start() - 60) : match.start()]
    behind = text[match.end() : match.end() + 60]
    return _IN_SUIT.search(before) is not None or _IS_SUED.match(behind) is not None


def _key(match: re.Match[str]) -> str:
    """Return the short name of a case: the first word of its first party."""
    words = (match["one"] or match["matter"]).split()
    words = [word for word in words if not _LOWER.match(word)] or words
    return words[-1].casefold() if len(words) == 1 else " ".join(words).casefold()


def _is_complete(reading: Reading, cited: list[re.Match[str]], n: int) -> bool:
    """Return whether a case has court and year in its sentence, before the next case."""
    text, match = reading.text, cited[n]
    last = cited[n + 1].start() if n + 1 < len(cited) else len(text)
    behind = text[match.end() : min(last, match.end() + _NEAR)].split("\n")[0]
    end = _END.search(behind)
    # the match of a party's name includes brackets after it, such as a year
    behind = match[0] + (behind[: end.start()] if end else behind)
    first = cited[n - 1].end() if n else 0
    before = text[max(first, match.start() - _NEAR) : match.start()].rpartition("\n")[2]
    before = _END.split(before)[-1]
    return all(form.search(behind) or form.search(before) for form in (_YEAR, _COURT))


@guardrail(
    id="LEGAL_REGULATORY_REFERENCE",
    task_type="legal",
    requirement="Regulatory references must include CFR or state code",
    action='Regenerate with the code (e.g., "21 C.F.R. \u00a7 314.50")',
)
def regulatory_reference(reading: Reading) -> Iterator[Place]:
    """Find regulations without a section of the CFR, such as "FDA regulations require"."""
    scope = ClaimScope(reading)
    for sentence in scope.claims():
        text = reading.text[sentence.start : sentence.end]
        match = _REGULATION.search(text)
        near = reading.text[sentence.end : sentence.end + _NEAR].split("\n")[0]
        if match is not None and not _CODE.search(scope.context_of(sentence) + near):
            yield sentence.start + match.start(), sentence.start + match.end()
    for match in _CFR.finditer(reading.text):
        # 20 characters: more than the longest form, "Title 21 of the "
        before = reading.text[max(0, match.start() - 20) : match.start()]
        complete = _CFR_TITLE.search(before) and _CFR_BEHIND.match(match["behind"])
        if not complete and _CFR_SECTION.match(match["behind"]):
            yield match.start(), match.start("behind")
