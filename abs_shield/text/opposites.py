"""Pairs of words with opposite meanings."""

from __future__ import annotations

from itertools import product

from abs_shield.text.stem import stem

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
