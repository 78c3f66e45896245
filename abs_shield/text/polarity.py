"""Detection of two sentences about one subject that contradict each other."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass
from functools import cached_property
from itertools import product

from abs_shield.text.safe_display import escaped
from abs_shield.text.stem import lowered, stem
from abs_shield.text.tokens import Token, tokens

_PAIRS = (
    "gain loss|profit loss|win lose|won lost|"
    "accept reject|approve deny|allow forbid|allow prohibit|permit prohibit|include exclude|"
    "open close|start stop|start end|begin end|first last|early late|earlier later|before after|"
    "high low|higher lower|highest lowest|more less|most least|many few|maximum minimum|max min|"
    "large small|larger smaller|largest smallest|big little|long short|longer shorter|"
    "longest shortest|old new|older younger|oldest youngest|hot cold|hotter colder|fast slow|"
    "faster slower|strong weak|stronger weaker|hard soft|hard easy|difficult easy|heavy light|"
    "thick thin|wide narrow|deep shallow|rich poor|expensive cheap|good bad|better worse|"
    "best worst|positive negative|true false|right wrong|correct incorrect|safe dangerous|"
    "safe unsafe|legal illegal|possible impossible|likely unlikely|able unable|"
    "available unavailable|active inactive|enabled disabled|enable disable|valid invalid|"
    "public private|male female|"
    "man woman|men women|boy girl|father mother|brother sister|son daughter|husband wife|"
    "north south|east west|northern southern|eastern western|left right|top bottom|upper lower|"
    "above below|inside outside|internal external|arrive depart|arrival departure|buy sell|"
    "bought sold|lend borrow|import export|add remove|insert delete|create destroy|build demolish|"
    "push pull|send receive|give take|come go|enter leave|enter exit|up down|full empty|"
    "always never|often rarely|all none|every no|with without|present absent|success failure|"
    "succeed fail|succeeded failed|pass fail|"
    "love hate|like dislike|happy sad|friend enemy|war peace|life death|"
    "alive dead|born died|day night|morning evening|summer winter|wet dry|clean dirty|"
    "refundable nonrefundable|domestic international|direct indirect|temporary permanent|"
    "required optional|mandatory optional|major minor|majority minority|senior junior|"
    "single married|one-way round-trip|support oppose|agree disagree|praise criticize|"
    "guilty innocent|attack defend|victory defeat|advantage disadvantage|improve worsen|"
    "expand contract|ascend descend|forward backward|credit debit|paid unpaid|known unknown"
)
_UP = "increase rise rose risen grow grew grown climb".split()
_DOWN = "decrease fall fell fallen drop decline shrink shrank shrunk".split()


def _table() -> dict[str, frozenset[str]]:
    opposites: dict[str, set[str]] = {}
    for pair in (*map(str.split, _PAIRS.split("|")), *product(_UP, _DOWN)):
        one, other = map(stem, pair)
        # A pair with one stem would be the opposite of itself.
        if one != other:
            opposites.setdefault(one, set()).add(other)
            opposites.setdefault(other, set()).add(one)
    return {word: frozenset(others) for word, others in opposites.items()}


OPPOSITES = _table()
"""The opposites of each stem."""


NEGATORS = frozenset(
    "not no never none nobody nothing neither nor cannot without hardly scarcely barely nicht kein "
    "keine keinen nie niemals pas jamais sans rien nunca jamas sin ningun ninguna non senza nao "
    "mai \u043d\u0435 \u043d\u0435\u0442 \u4e0d \u6ca1 \u65e0".split()
)
_LONGEST = 2_000  # characters; a longer sentence is a list or a table
_MOST_WORDS = 400  # words of such a sentence
_REACH = 3
"""Number of content words after a negator among which the first one is negated."""
_SAME = 0.75
"""
Minimum share of common words in sentences that differ only in a negation; with a smaller share,
they are about different things.
"""
_AKIN = 0.6  # minimum share of the other words; the opposites already differ
_DENYING = frozenset(
    map(stem, "avoid unable fail refuse lack except unless prohibit forbid unlike".split())
)
_NOT_DENIED = frozenset(map(stem, "only just merely sure necessarily".split()))
_LIMITS = re.compile(
    r"\b(?:until|till|before|unless|without|except|only|(?:more|less|fewer) than)\b", re.IGNORECASE
)
"""Words that limit a negation: "not open before 9" means that it opens."""
_BREAKS = re.compile(r"[,;:.()]|\b(?:but|if|because|while|when)\b")
_REPLY = re.compile(
    r"[\W_]{0,8}(?:no|yes|nope|yep|yeah|nah)\s{0,2}[,.:;!\u2014-](?=\s)(?!\s{0,2}\d)",
    re.IGNORECASE,
)

_DOUBLED = re.compile(r"(?<=n)['\u2019]{2}(?=t\b)", re.IGNORECASE)
"""The doubled apostrophe of ``didn''t`` in text quoted for YAML or SQL."""


def without_reply(text: str) -> str:
    """
    Return *text* with its leading yes or no replaced by spaces, at the same length.

    A leading "No," answers a question; it does not negate the rest.

    >>> without_reply("No, it is full."), without_reply("No pets."), without_reply("No. 5 is full.")
    ('    it is full.', 'No pets.', 'No. 5 is full.')
    """
    reply = _REPLY.match(text)
    return " " * reply.end() + text[reply.end() :] if reply else text


def read_sentence(text: str) -> SentenceWords:
    """Return the words of a sentence, without a leading yes or no."""
    plain = _DOUBLED.sub("'", without_reply(text[:_LONGEST]))
    return SentenceWords(plain, tuple(tokens(plain, most=_MOST_WORDS)))


@dataclass(frozen=True)
class SentenceWords:
    """The words of one sentence, and those that it negates."""

    text: str
    words: tuple[Token, ...]

    @cached_property
    def content(self) -> tuple[Token, ...]:
        return tuple(word for word in self.words if word.content or word.figure)

    @cached_property
    def written(self) -> dict[str, str]:
        """Return the first spelling of each content word."""
        return {one.key: self.text[one.start : one.end] for one in reversed(self.content)}

    @cached_property
    def keys(self) -> frozenset[str]:
        return frozenset(word.key for word in self.content)

    @cached_property
    def denies(self) -> bool:
        """Return whether the sentence negates anything, in any words."""
        return self.negated or any(one.key in _DENYING for one in self.words)

    @cached_property
    def negated(self) -> bool:
        """Return whether the sentence has a negator such as "not"."""
        return any(self.negates(n) for n, _ in enumerate(self.words))

    @cached_property
    def numbered(self) -> frozenset[str]:
        """Return the words with digits: a room, a flight, a day."""
        return frozenset(w.key for w in self.words if w.figure or any(map(str.isdigit, w.key)))

    @cached_property
    def limited(self) -> bool:
        """Return whether the sentence negates only up to a limit."""
        return _LIMITS.search(self.text) is not None

    @cached_property
    def denied(self) -> frozenset[str]:
        """Return the words that occur only directly after a negator in their clause."""
        negations = Counter(self._behind(n) for n, _ in enumerate(self.words) if self.negates(n))
        stands = Counter(word.key for word in self.content)
        return frozenset(key for key, times in negations.items() if key and times >= stands[key])

    def negates(self, n: int) -> bool:
        """Return whether a word negates the next ones; before a comma it does not."""
        word = self.words[n]
        written = lowered(self.text[word.start : word.end])
        if written not in NEGATORS and not written.endswith("n't"):
            return False
        behind = self.text[word.end : word.end + 1]
        follows = self.words[n + 1 : n + 2]
        return behind != "," and not any(one.key in _NOT_DENIED for one in follows)

    def _behind(self, n: int) -> str:
        start = self.words[n].end
        # Twice as many words, because function words between them do not count.
        for word in self.words[n + 1 : n + 1 + 2 * _REACH]:
            if _BREAKS.search(self.text, start, word.start):
                return ""
            if word.content or word.figure:
                return word.key
        return ""


def denial(statement: SentenceWords, other_sentence: SentenceWords) -> str:
    """Return how one of two sentences negates the other; empty if neither does."""
    if (
        statement.denies == other_sentence.denies
        # If the sentences are about different things, a negation is not a contradiction.
        or _share(statement.keys, other_sentence.keys) < _SAME
    ):
        return ""
    if statement.limited or other_sentence.limited or statement.numbered != other_sentence.numbered:
        return ""  # another room or day, or negated up to a limit: both may be true
    denied = (statement.denied & other_sentence.keys) | (other_sentence.denied & statement.keys)
    if not denied:
        return ""
    word = min(denied)
    written = statement.written.get(word, other_sentence.written.get(word, word))
    return f"`{escaped(written)}` is denied in one of the two"


def opposite(statement: SentenceWords, other_sentence: SentenceWords) -> str:
    """
    Return a word whose opposite is in the other sentence, beside a shared word; else empty.

    A negation inverts it: "not open" and "closed" agree.
    """
    if (
        statement.negated != other_sentence.negated
        or not statement.numbered <= other_sentence.numbered
    ):
        return ""
    turned = {key for key in statement.keys - other_sentence.keys if key in OPPOSITES}
    if not turned or _share(statement.keys - turned, other_sentence.keys) < _AKIN:
        return ""
    # A neighbour must be shared: "the shop is open, the bar closed" has no shared one.
    beside = _neighbours(other_sentence)
    for before, key, after in _neighbours(statement):
        for other in OPPOSITES[key] if key in turned else ():
            if any(o == other and (b == before or a == after) for b, o, a in beside):
                mine, theirs = (
                    escaped(statement.written[key]),
                    escaped(other_sentence.written[other]),
                )
                return f"`{mine}` is the opposite of `{theirs}`"
    return ""


def _neighbours(of: SentenceWords) -> list[tuple[str, str, str]]:
    """Return each content word with the words before and after it."""
    keys = [word.key for word in of.content]
    return list(zip(["\n", *keys], keys, [*keys[1:], "\n"], strict=False))


def _share(statement: frozenset[str], other_sentence: frozenset[str]) -> float:
    return len(statement & other_sentence) / len(statement) if statement else 0.0
