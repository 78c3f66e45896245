"""Product outputs: features of the matrix, prices of the table, a provisional roadmap."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from decimal import Decimal

from abs_shield.quality.guardrails.guardrail_rule import ClaimScope, Guardrail, Place, guardrail
from abs_shield.quality.guardrails.product_catalogue import Feature, Price, ProductCatalogue
from abs_shield.quality.marked_sentences import Reading, Sentence
from abs_shield.text.months import ENGLISH_MONTH
from abs_shield.text.values.figure import MONEY, NUMBER, Figure

_AVAILABLE = re.compile(
    r"\b(?:support(?:s|ed)?|includ(?:e|es|ed)|offers?|comes? with|provid(?:e|es|ed)|has|have|gets?"
    r"|gives?|available|ready|use|with|part of|turn on|enable[sd]?|connect|adds?|features?|ships?"
    r" with)\b",
    re.IGNORECASE,
)
_DENIED = re.compile(
    r"\b(?:no|not|without|unavailable|neither|nor|lacks?|missing|excludes?|except|cannot"
    r"|\w+n['\u2019]t"
    r"|planned|upgrade|exclusive|used to|formerly|until|roadmap|provisional)\b",
    re.IGNORECASE,
)
_ALL_PLANS = re.compile(
    r"\b(?:all|every|each|any)(?: of (?:our|the))? (?:plans?|users?|tiers?)\b", re.I
)
_PROVISIONAL = re.compile(
    r"\b(?:provisional(?:ly)?|tentative(?:ly)?|planned|subject to change|may|might|could|no "
    r"(?:guaranteed )?"
    r"(?:date|commitment)|not (?:a )?commit\w*|cannot|consider(?:ed|ation)|explor\w+|intend\w*"
    r"|aim\w*"
    r"|not (?:final|decided|guaranteed)|nothing is decided|hope|target\w*|preview|under review)\b",
    re.IGNORECASE,
)
_RELEASED = re.compile(
    r"\b(?:will|going to|launch\w*|arriv\w+|ships?|shipping|released?|coming|expect|by the end"
    r"|brings?"
    r"|guarantee\w*|live|next|soon|available in|receive)\b",
    re.IGNORECASE,
)
_NOW = re.compile(
    r"\b(?:now|today|already|is (?:included|supported|available)(?! (?:in|on|by) \d))\b", re.I
)
_PER = {
    "month": re.compile(r"\bmonth(?:ly)?\b|/\s?mo\b", re.I),
    "year": re.compile(r"\b(?:year(?:ly)?|annual(?:ly)?)\b|/\s?yr\b", re.I),
    "week": re.compile(r"\bweek(?:ly)?\b", re.I),
    "day": re.compile(r"\b(?:daily|(?:a|per) day)\b", re.I),
}
_NO_PRICE = re.compile(
    r"\b(?:invoice|seats|competitor\w*|used to|until|formerly|sav(?:e|es|ing|ings)|discount|refund"
    r"|last (?:year|month|quarter|week)|previously|originally|(?:year|month|week)s? ago|back in"
    r"|(?<!\bis )(?<!\bare )(?<!\bbe )paid(?! (?:annually|yearly|monthly|per|by))"
    rf"|before (?:(?:19|20)\d\d|then|that|last|{ENGLISH_MONTH}|the (?:change|increase|rise|switch))"
    r"|prior to"
    r"|was|were|had|off|credit|total|similar|tax|deposit|budget)\b",
    re.IGNORECASE,
)
DOMAIN = "product"
_MORE = re.compile(r"^ ?(?:more|extra|less|on top|cheaper|additional|in addition)\b", re.I)
_EXTRA = re.compile(r"\b(?:additional|extra|another|further) $", re.I)
"""Words that make an amount a price difference, rather than a price."""
_WHOSE = re.compile(r"(?P<whose>[A-Z]\w*(?: [A-Z]\w*)?)['\u2019]s? (?:\w+ )?$")
_OF = re.compile(r"^(?: plan| tier)? (?:of|at|from|by|on) (?P<whose>[A-Z]\w*)")
_ENDS_CLAUSE = re.compile(r"[,;:]|\b(?:while|whereas|but|and)\b")
_SENTENCE_PART = re.compile(r"[;:]")
_WHOSE_IS = re.compile(r"\s*whose\b")
_CHARGES = re.compile(
    r"(?<![\w.])(?P<name>(?!(?:At|In|On|For|From|With|The|Our|Its|It|This|That|We|You|They|Each"
    r"|Every|All|Per|A|An|As|If|When|Today|Now|Plan|Price|Prices|Pricing|Subscriptions?|Billing"
    r"|Seats?|Users?)\b)[A-Z][\w.-]*)"
    r"(?=(?:['\u2019]s)?(?:,? whose)?(?: [A-Z][\w-]*)?(?: [a-z]+)?"
    r"(?: (?:charges?|asks?|costs?|sells|wants|takes|is|bills|starts at))?,? ?(?:for |at |only )?$"
    r"|(?:['\u2019]s)?,? whose\b)"
)
"""A name before an amount: `Notion charges`, `Asana`, `Slack's Pro plan costs`."""
_MONTHS = Decimal(12)  # a yearly price may be stated as twelve monthly ones
_NOBODY = frozenset("today now this it that here there what let".split())
_NEAR = 60  # farther away, an amount mostly belongs to something else
"""Characters between a plan's name and its price."""


def product_guardrails(catalogue: ProductCatalogue) -> tuple[Guardrail, ...]:
    """Return the rules of the product domain for the data of a product."""
    return (_feature_matrix(catalogue), _price_table(catalogue), _roadmap(catalogue))


def _is_of_another(text: str, plan: re.Match[str], products: Iterable[str]) -> bool:
    """Return whether a plan's name belongs to another product: `Slack's Team plan`."""
    own = [one.casefold() for one in products]
    whose = _WHOSE.search(text[: plan.start()]) or _OF.match(text[plan.end() :])
    if whose is None or whose["whose"].casefold() in _NOBODY:
        return False
    return not any(whose["whose"].casefold() in (one, one.split()[0]) for one in own)


def _names(several: Iterable[str]) -> re.Pattern[str]:
    names = sorted(several, key=len, reverse=True)
    return re.compile(
        rf"(?<!\w)(?:{'|'.join(map(re.escape, names)) or '(?!)'})(?!\w)", re.IGNORECASE
    )


def _plan_names(catalogue: ProductCatalogue) -> re.Pattern[str]:
    """Return the pattern of plan names, which are capitalised: `Team`, not `team`."""
    # the same pattern without IGNORECASE
    return re.compile(_names(catalogue.plans).pattern)


def _feature_matrix(catalogue: ProductCatalogue) -> Guardrail:
    forms = [(feature, _names((feature.name, *feature.aliases))) for feature in catalogue.features]
    unreleased = [_names((item.name, *item.aliases)) for item in catalogue.roadmap]
    plans = _plan_names(catalogue)

    @guardrail(
        id="PRODUCT_FEATURE_MATRIX",
        task_type=DOMAIN,
        requirement="Features must be available in the current product matrix",
        action="Regenerate with the features and plans of the product matrix",
    )
    def feature_matrix(reading: Reading) -> Iterator[Place]:
        """Find features claimed for a plan that does not have them."""
        scope = ClaimScope(reading)
        for sentence in scope.claims():
            text = reading.text[sentence.start : sentence.end]
            if _DENIED.search(text):
                continue
            if any(name.search(text) for name in unreleased):
                if _NOW.search(text) and not _PROVISIONAL.search(text):
                    yield sentence.start, sentence.end
                continue
            if _AVAILABLE.search(text) and any(
                form.search(text) and _is_wrong(feature, text, plans, catalogue)
                for feature, form in forms
            ):
                yield sentence.start, sentence.end

    return feature_matrix


def _is_wrong(
    feature: Feature, text: str, plans: re.Pattern[str], catalogue: ProductCatalogue
) -> bool:
    """Return whether a sentence names a plan that lacks a feature, or no plan has it."""
    if not feature.plans:
        return True
    if _ALL_PLANS.search(text):
        return not set(catalogue.plans) <= set(feature.plans)
    mentioned = plans.findall(text)
    return bool(mentioned) and not set(mentioned) & set(feature.plans)


def _price_table(catalogue: ProductCatalogue) -> Guardrail:
    plans = _plan_names(catalogue)

    @guardrail(
        id="PRODUCT_PRICE_TABLE",
        task_type=DOMAIN,
        requirement="Prices must match the current price table",
        action="Regenerate with the prices of the price table",
    )
    def price_table(reading: Reading) -> Iterator[Place]:
        """Find prices that differ from the price table."""
        scope = ClaimScope(reading)
        for sentence in scope.claims():
            text = reading.text[sentence.start : sentence.end]
            # in a row of a table, a word of another column says nothing about the price
            if not _NO_PRICE.search(text) or (text.startswith("|")):
                yield from _wrong_prices(sentence, text, plans, catalogue)

    return price_table


def _wrong_prices(
    sentence: Sentence, text: str, plans: re.Pattern[str], catalogue: ProductCatalogue
) -> Iterator[Place]:
    mentioned = [*plans.finditer(text)]
    for figure in sentence.figures:
        if figure.kind != MONEY or not mentioned:
            continue
        at = figure.start - sentence.start
        plan = min(mentioned, key=lambda one: min(abs(at - one.end()), abs(one.start() - at)))
        if min(abs(at - plan.end()), abs(plan.start() - at)) > _NEAR:
            continue
        if _MORE.match(text[figure.end - sentence.start :]) or _EXTRA.search(text[:at]):
            continue
        if _is_of_another(text, plan, catalogue.products) or _names_another(text, at, catalogue):
            continue
        # the table may lack the currency; then nothing is known about the price
        own = [one for one in catalogue.prices if one.plan == plan[0] and _is_in(figure.unit, one)]
        pers = _pers_of(sentence, text, figure)
        if own and not any(_matches(one, figure.numbers[0], pers) for one in own):
            counts = _counts(sentence)
            if not any(_is_computed(one, figure.numbers[0], pers, counts) for one in own):
                yield figure.start, figure.end


def _names_another(text: str, at: int, catalogue: ProductCatalogue) -> bool:
    """
    Return whether the clause before an amount attributes it to another product.

    For example `Notion charges $10`, and `Slack, whose Pro plan costs $8.75`.
    """
    clause = _ENDS_CLAUSE.split(text[:at])[-1]
    if _WHOSE_IS.match(clause):
        clause = _SENTENCE_PART.split(text[:at])[-1]
    own = " ".join((*catalogue.plans, *catalogue.products)).split()
    name = [*_CHARGES.finditer(clause)]
    return (
        bool(name)
        and name[-1]["name"].rstrip(".,") not in own
        and not any(plan in clause[name[-1].end("name") :] for plan in catalogue.plans)
    )


def _counts(sentence: Sentence) -> set[Decimal]:
    """Return the whole numbers of a sentence, which may count seats or months."""
    numbers = (one for one in sentence.figures if one.kind == NUMBER and one.step == 1)
    return {Decimal(1), *(one.numbers[0] for one in numbers if one.numbers[0] > 0)}


def _is_computed(price: Price, amount: Decimal, pers: set[str], counts: set[Decimal]) -> bool:
    """Return whether an amount is a price times a count, per month or per year."""
    if not price.amount:
        return False
    yearly = _MONTHS if price.per == "month" and "year" in pers else Decimal(1)
    times = {count * period for count in counts for period in {Decimal(1), yearly}}
    monthly = not pers or not price.per or price.per in pers
    allowed = {one for one in times if monthly or not one % yearly}
    return amount / price.amount in allowed - {Decimal(1)}


def _pers_of(sentence: Sentence, text: str, figure: Figure) -> set[str]:
    """Return the billing periods of an amount, from the words after it or in the sentence."""
    # a period follows its amount directly: "$10 per user per month"
    behind = text[figure.end - sentence.start :][:25]
    amounts = [one for one in sentence.figures if one.kind == MONEY]
    next_at = min(
        (one.start - figure.end for one in amounts if one.start >= figure.end), default=25
    )
    pers = {per for per, form in _PER.items() if form.search(behind[:next_at])}
    if pers or len(amounts) > 1:  # words elsewhere may belong to another amount
        return pers
    return {per for per, form in _PER.items() if form.search(text)}


def _is_in(currency: str, price: Price) -> bool:
    return not currency or currency == price.currency


def _matches(price: Price, amount: Decimal, pers: set[str]) -> bool:
    if price.amount != amount:
        return False
    return not pers or not price.per or price.per in pers


def _roadmap(catalogue: ProductCatalogue) -> Guardrail:
    items = _names(name for item in catalogue.roadmap for name in (item.name, *item.aliases))

    @guardrail(
        id="PRODUCT_ROADMAP",
        task_type=DOMAIN,
        requirement="Feature roadmap references must be marked as provisional",
        action='Regenerate with a mark (e.g., "planned, subject to change")',
    )
    def roadmap(reading: Reading) -> Iterator[Place]:
        """Find roadmap features without a provisional mark."""
        scope = ClaimScope(reading)
        for sentence in scope.claims():
            text = reading.text[sentence.start : sentence.end]
            if not items.search(text) or not _RELEASED.search(text) or _NOW.search(text):
                continue
            if not _PROVISIONAL.search(_without_month(scope.context_of(sentence))):
                yield sentence.start, sentence.end

    return roadmap


def _without_month(text: str) -> str:
    """Return a text without the month of May, which is not a provisional mark."""
    return re.sub(r"\bMay\b", "", text)
