"""Financial outputs: intervals of estimates, basis points of changes, dates of projections."""

from __future__ import annotations

import re
from collections.abc import Iterator

from abs_shield.quality.consistency.text_relations import MOVE
from abs_shield.quality.guardrails.guardrail_rule import ClaimScope, Place, guardrail
from abs_shield.quality.marked_sentences import Reading, Sentence, form

_ESTIMATED = re.compile(
    r"\b(?:estimat\w*|forecasts?|forecasted|project(?:ed|s)?|projection|expect(?:s|ed|ation)?"
    r"|predict(?:s|ed|ion)?|anticipat\w+|model(?:led|s)?|surveys?|sample[ds]?|poll(?:s|ing|ed)?"
    r"|likely|approximately|suggests?)\b",
    re.IGNORECASE,
)
_VARIABLE = re.compile(
    r"\b(?:market share|share of (?:the |its )?(?:\w+ ){0,3}(?:market|customers|wallet)"
    r"|probabilit(?:y|ies)|likelihood|volatility|churn|conversion rate|penetration|adoption"
    r"|(?<!revenue )(?<!dollar )(?<!net )retention|default rate|loss ratio"
    r"|win rate|hit rate|error rate|response rate|recovery rate"
    r"|expected return|rate of return|return on (?:equity|assets|capital|investment"
    r"|invested capital)|awareness|satisfaction|renewal rate|occupancy)\b",
    re.IGNORECASE,
)
_INTERVAL = re.compile(
    r"\u00b1|\+/-|\bplus or minus\b|\bconfidence (?:interval|level)|\b\d{2}\s?% CI\b|\bCI\b"
    r"|\binterval"
    r"|\bmargin of error\b|\bstandard (?:error|deviation)\b|\bpercentile|\brange[sd]? (?:of|from)\b"
    r"|\bcredible\b|\bbetween (?!(?:19|20)\d\d)|\d\s?%?\s?(?:-|\u2013|\bto\b)\s?[$\u20ac\u00a3]?"
    r"(?!(?:19|20)\d\d\b)\d",
    re.IGNORECASE,
)
_FIXED = re.compile(
    r"\b(?:audited|coupon|mandate|contract(?:ual)?|tax rate|vat|interest rate|fees?|dividend|fixed"
    r"|late fee|purchase price|voting|owns?|as (?:reported|filed)|10-[kq]|invoice)\b",
    re.IGNORECASE,
)
_CHOSEN = re.compile(
    r"\b(?:discount rate|wacc|hurdle rate|risk-free rate|cost of (?:capital|equity|debt)"
    r"|cap(?:italization)? rate)\b"
    r"|\b(?:assum(?:es?|ed|ptions?)|uses?|used|appl(?:y|ies|ied))\b[^.;,]{0,30}"
    r"\b(?:rate|growth|multiple|yield|premium|return)\b(?: of| is| at)",
    re.IGNORECASE,
)
"""Chosen inputs of a model, which are not estimates."""
_BASIS_POINTS = re.compile(r"\b(?:bps|bp|basis[ -]points?)\b", re.IGNORECASE)
_CHANGES = form(
    rf"\b(?:{MOVE}|(?:cut|raise)[sd]?|eased|widened|narrowed|improved|jumped)"
    r"(?: (?:by|of|a|an|another|about|around|nearly|almost|over|roughly|some|approximately|only"
    r"|more"
    r"|than|further|just|sharply|slightly))* ?[~+-]?(?:<P>|<X> ?(?:%|percent))"
)
_CHANGED_BY = form(rf"<PX>(?: [a-z-]+){{0,3}}? {MOVE}(?![ -]payments?\b)")
_PAID_DOWN = form(
    r"\b(?:put|puts|putting|pay|pays|paid|paying|deposit(?:s|ed)?)\b[^.]{0,30}?(?:<PX>)"
    r"(?: [a-z]+)? down\b"
)
_CHANGED_TO = form(
    rf"\b(?:margins?|rate|ratio|yield|retention|churn|utili[sz]ation|occupancy)\b[^.,;]{{0,40}}?"
    rf"\b(?:{MOVE}|improved|worsened|widened|narrowed|eased)(?: [a-z]+ly)? to <PX>"
)
_NUMBER_WORD = form(
    rf"\b(?:{MOVE})(?: (?:by|about|around|nearly|almost|over|roughly))* <NX> (?:percent|per cent)\b"
)
_MARKETS = re.compile(
    r"(?:\b(?:s ?& ?p(?: 500)?|dow(?: jones)?|nasdaq|russell|ftse|dax|cac|nikkei|topix|hang seng"
    r"|(?:euro )?stoxx|kospi|sensex|nifty|asx|tsx|smi|ibex|vix|msci|nyse|bovespa|csi"
    r"|bitcoin|ether(?:eum)?|solana|litecoin|dogecoin|xrp|cryptocurrenc(?:y|ies)"
    r"|euro|dollar|greenback|sterling|pound|yen|yuan|renminbi|franc|rupee|peso|lira|rou?ble|krone"
    r"|krona|zloty|rand|gold|silver|copper|platinum|brent|crude|wti|natural gas|bullion)"
    r"|\b(?:the|wall street's|asian|european|us|tech|bank|global|chip) (?:stocks|shares|markets?)"
    r"|[\w.&]['\u2019]s? (?:stock|shares)|\b(?:its|our|the) (?:stock|shares)"
    r"|\b(?:stock|shares) (?:of|in) (?-i:[A-Z])[\w.&]+|\b(?-i:[A-Z])[\w.&]+ (?:stock|shares)"
    r"|\bstocks)\b"
    r"(?! (?:outstanding|issued|options?|units?))",
    re.IGNORECASE,
)
"""Things quoted on a market: indices, currencies, coins, metals, and shares of companies."""
_BEHIND_MARKET = form(
    r"(?:[\s,.()\d']|<NMPYDTOIX>|\b(?:index|composite|industrials?|average|futures?|prices?|spot"
    r"|crude|oil|etf|is|was|are|were|has|have|had|been|being|also|closed?|ended|ends|finished|opened"
    r"|traded|trades|trading|settled|slid|slipped|gave|the|a|day|days|session|week|month|at|to|from"
    r"|then|again|sharply|slightly|currently|now|today|yesterday|already|about|nearly|almost|by"
    r"|later|early|late|in|on|morning|afternoon|trade|monday|tuesday|wednesday|thursday|friday"
    r"|weakened|strengthened|lost|back|still|another|further|just|over|shares?|stocks?|s))*"
)
"""Words allowed between a market and its change: anything else may have its own change."""
_NO_SUBJECT = re.compile(
    r"(?<!price)(?<!prices)(?<!value) (?:in|of|for|per|by|to|with) (?:the )?$", re.IGNORECASE
)
_CLAUSE = re.compile(
    r"[;:]|\b(?:as|while|because|since|after|when|but|although|whereas|and|which|helped by)\b",
    re.IGNORECASE,
)
_QUOTED_PRICE = re.compile(
    r"\b(?:share|stock|unit|closing|opening|spot)[ -]prices?\b"
    r"|\bprices? of (?:the|its|our) (?:share|stock)"
    r"|\b(?:shares?|stocks?|ticker) (?:closed|opened|traded|trades|is trading|are trading)\b",
    re.IGNORECASE,
)
"""Market prices, whose changes are not stated in basis points."""
_PERCENT = "%"
_PROJECTED = re.compile(
    r"\b(?:forecasts?|forecasted|project(?:s|ed)?|projection|expect(?:s|ed)?|predict(?:s|ed)?"
    r"|anticipates?|anticipated|outlook|will|should|is set to|are set to|poised to|cagr"
    r"|sees? (?:the |its |our )?(?:[a-z]+ ){1,3}?(?:growing|rising|reaching|hitting|falling"
    r"|doubling|shrinking|expanding))\b",
    re.IGNORECASE,
)
_MARKET = re.compile(
    r"\b(?:markets?|sector|industry|sales|revenues?|demand|index|prices?|gold|oil|copper|gdp"
    r"|inflation|earnings|premiums|shares?|stocks?|exports|imports|turnover|yields?|growth)\b",
    re.IGNORECASE,
)
_DATED = re.compile(
    r"\b(?:19|20)\d\d\b|\b(?:fy|fiscal)\s?'?\d{2}|\bq[1-4]\b|\b(?:next|coming|following|over the"
    r"|within)"
    r" (?:the )?(?:next |coming |following )?(?:\w+ )?(?:quarter|year|month|week|decade|\d+ \w+"
    r"|two|three|four|five|six"
    r"|seven|eight|nine|ten|twelve) ?(?:years|months|quarters|weeks)?\b(?<!coming years)"
    r"|\bthis (?:year|quarter|month)\b|\b\d+[- ](?:year|month|day)\b",
    re.IGNORECASE,
)
_PAST = re.compile(r"\b(?:had expected|was expected|were expected|had been)\b", re.IGNORECASE)


@guardrail(
    id="FINANCIAL_CONFIDENCE_INTERVAL",
    task_type="financial",
    requirement="Claims with \u00b11% variability must include confidence interval",
    action='Regenerate with interval (e.g., "23% \u00b11.2%")',
)
def confidence_interval(reading: Reading) -> Iterator[Place]:
    """Find estimates without an interval, such as "Our market share is 23%"."""
    scope = ClaimScope(reading)
    for sentence in scope.claims():
        # changes have a rule of their own below
        if not _has_percentage(sentence) or _is_change(sentence):
            continue
        plain = sentence.plain
        if not (_ESTIMATED.search(plain) or _VARIABLE.search(plain)) or _FIXED.search(plain):
            continue
        if _CHOSEN.search(plain) or _is_reported(plain):
            continue
        if not _INTERVAL.search(scope.context_of(sentence)):
            yield sentence.start, sentence.end


@guardrail(
    id="FINANCIAL_BASIS_POINTS",
    task_type="financial",
    requirement="Percentage changes must include a basis point reference",
    action='Regenerate with basis points (e.g., "rose 0.25% (25 bps)")',
)
def basis_points(reading: Reading) -> Iterator[Place]:
    """Find changes without basis points, such as "Revenue rose 12%"."""
    scope = ClaimScope(reading)
    for sentence in scope.claims():
        if not (_has_percentage(sentence) and _is_change(sentence)) or _is_projection(sentence):
            continue
        # markets are quoted in percent; basis points are for rates and margins
        if _QUOTED_PRICE.search(sentence.plain) or _is_of_market(sentence):
            continue
        if not _BASIS_POINTS.search(scope.context_of(sentence)):
            yield sentence.start, sentence.end


@guardrail(
    id="FINANCIAL_DATE_RANGE",
    task_type="financial",
    requirement="Market projections must include a date range",
    action='Regenerate with dates (e.g., "from 2025 to 2030")',
)
def date_range(reading: Reading) -> Iterator[Place]:
    """Find projections without a date, such as "The market will reach $40 billion"."""
    scope = ClaimScope(reading)
    for sentence in scope.claims():
        if not (_is_projection(sentence) and sentence.marked("NMPX")):
            continue
        if not _DATED.search(scope.context_of(sentence)):
            yield sentence.start, sentence.end


def _has_percentage(sentence: Sentence) -> bool:
    return any(one.unit in (_PERCENT, "percent") for one in sentence.figures)


def _is_change(sentence: Sentence) -> bool:
    """Return whether a sentence has a percentage that is a change, not a level."""
    return next(_changes(sentence), None) is not None


def _changes(sentence: Sentence) -> Iterator[int]:
    """Yield the place of each percentage of change, or of the word before it."""
    plain = sentence.plain
    for pattern in (_CHANGES, _CHANGED_TO, _NUMBER_WORD):
        for match in pattern.finditer(plain):
            yield match.start()
    if _PAID_DOWN.search(plain) is None:
        for match in _CHANGED_BY.finditer(plain):
            if sentence.figure_at(match.start()).unit == _PERCENT:
                yield match.start()


def _is_of_market(sentence: Sentence) -> bool:
    """Return whether all changes are of market quotations: an index, a currency, a share."""
    return all(_is_quoted(sentence.plain[:place]) for place in _changes(sentence))


def _is_quoted(before: str) -> bool:
    """Return whether the clause before a change is about a market quotation itself."""
    clause = _CLAUSE.split(before)[-1]
    names = [
        one for one in _MARKETS.finditer(clause) if not _NO_SUBJECT.search(clause[: one.start()])
    ]
    return bool(names) and _BEHIND_MARKET.fullmatch(clause[names[-1].end() :]) is not None


def _is_reported(plain: str) -> bool:
    """Return whether a level is given with its change in basis points, so it was measured."""
    return _BASIS_POINTS.search(plain) is not None and _ESTIMATED.search(plain) is None


def _is_projection(sentence: Sentence) -> bool:
    plain = sentence.plain
    return bool(_PROJECTED.search(plain) and _MARKET.search(plain)) and not _PAST.search(plain)
