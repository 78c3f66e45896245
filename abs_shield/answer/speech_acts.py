"""Sentences that state nothing about the world, and those that report or promise an action."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache
from itertools import product

from abs_shield.text.tokens import HEDGES, is_small
from abs_shield.text.verbs import is_action, past_forms

READ = 600
"""Characters at a sentence's beginning that are searched for set phrases, which are near it."""
_CJK = r"\u3040-\u30ff\u4e00-\u9fff"
_WORD = re.compile(rf"[^\W_{_CJK}]+(?:['-][^\W_{_CJK}]+)*|[{_CJK}]{{1,8}}")


def _phrases(*groups: str) -> tuple[str, ...]:
    """Return the phrases of comma-separated lists, each joined with each of the next list."""
    return tuple(f" {' '.join(one)} " for one in product(*(group.split(",") for group in groups)))


_SILENT = frozenset(
    "done set right correct welcome please sir madam problem worries rush everything understood "
    "alright got yep nope way idea doubt news".split()
)
"""A sentence of only these, function words and hedges states nothing."""
_YES_OR_NO = frozenset("yes yeah yep yup no nope nah".split())
_GREETINGS = _phrases(
    "hi,hello,hey,dear,greetings,good morning,good afternoon,good evening,good day,thanks,"
    "thank you,you're welcome,my pleasure,sure,of course,certainly,no problem,no worries,bye,"
    "goodbye,cheers,good luck,take care,sorry,i think so,i guess so,i believe so,it depends,"
    "hallo,guten tag,guten morgen,guten abend,danke,vielen dank,gern,gerne,bitte,bonjour,merci,"
    "salut,de rien,hola,gracias,de nada,ciao,grazie,prego,ol\u00e1,obrigado,obrigada,"
    "\u4f60\u597d,\u60a8\u597d,\u8c22\u8c22,\u3053\u3093\u306b\u3061\u306f,"
    "\u3042\u308a\u304c\u3068\u3046,\u0441\u043f\u0430\u0441\u0438\u0431\u043e"
)
"""A sentence of one of these and at most three more words states nothing."""
_LEADS = _phrases(
    "however,but,now,so,then,also,otherwise,unfortunately,in that case,great,ok,okay,sure,thanks,"
    "as an ai"
)
_SPEECH_ADVERBS = frozenset(
    "so very really truly completely definitely absolutely certainly now just also still".split()
)
_OFFERS = (
    *_phrases("i,we", "cannot,can't,won't,will not,am unable to,are unable to"),
    *_phrases("i'm,we're", "unable to,not able to,here to,happy to,glad to,afraid"),
    *_phrases(
        "i can,i could,i will,i would,i'll,i'd,we can,we could,we will,we would,we'll,we'd",
        "help,assist,guide,walk,check,look,try,proceed,need,be happy,be glad,connect",
    ),
    *_phrases("please,let me,let us,let's,feel free,my apologies,do not hesitate,don't hesitate"),
    *_phrases("hope this,hope that,happy to help,glad to help,here to help"),
)
"""Beginnings of sentences that offer, request or decline something."""
_FEELINGS = (
    *_phrases("thanks,thank you,sorry,vielen dank,merci,gracias", "for,f\u00fcr,pour,por"),
    *_phrases("i'm,i am", "sorry,glad,happy,not sure,not certain"),
    *_phrases("i,we", "apologize,apologise,hope,appreciate,wish,want,need,don't know"),
    *_phrases("i would,i'd,we would,we'd", "like,love"),
    *_phrases("i understand", "you,your,how,why,what,this,that,it"),
    *_phrases("sounds,that sounds,this sounds", "good,great,fine,like a plan,like a solid plan"),
    *_phrases("have a", "great,good,nice,wonderful,lovely,safe"),
)
"""Beginnings of sentences about the speaker's feelings."""
_OF_NOTE = _phrases("please", "note,be advised,be aware,remember,keep in mind,know,see that")
"""Requests that introduce a statement."""
_HERE = _phrases("here,here's,below")
_CONDITIONS = _phrases(
    "if,once,when,after", "you,you'd,you're,there's,there is,there are,yes,no,so,not"
)
_HELP = _phrases("let me know,feel free,don't hesitate,i can,i'll,i will,i'm,we can,we'll,we're")

_NOT = frozenset("not cannot can't couldn't don't doesn't didn't isn't aren't unable nicht".split())
_TEXTS = frozenset(
    "passage passages context document documents text source sources article articles evidence "
    "excerpts snippets records database results information".split()
)
_LACKING = frozenset(
    "mention state specify provide contain include give discuss address indicate cover explain "
    "answer tell describe have list show say".split()
)
_LACKED = _phrases("mentioned,stated,specified,discussed", "in,by")
_LACKED_THERE = _phrases("provided,given,addressed,included,covered,listed,contained", "in,by")
_SPEAKER = frozenset("i i'm we we're ich".split())
_FINDING = frozenset(
    "find see know answer locate access provide determine confirm verify help assist tell say "
    "retrieve enough information finden sagen".split()
)
_REFUSALS = (
    *_phrases(
        "no,not enough,insufficient,no specific,no relevant,no further,no other",
        "information,mention,details,evidence",
    ),
    *_phrases("i'm,i am,we are", "unable to"),
    "je n'ai pas trouv", "je ne peux", "no he podido", "no puedo", "no encontr", "non ho trovato",
    "non posso", "n\u00e3o encontrei", "n\u00e3o posso", "\u6ca1\u6709\u627e\u5230", "\u65e0\u6cd5",
    "\u627e\u4e0d\u5230", "\u898b\u3064\u304b\u308a\u307e\u305b\u3093",
)  # fmt: skip

_MARK = re.compile(
    "[?\uff1f\u061f\u037e\u2047-\u2049][\\s\"'\u201d\u2019\u00bb\u300d\u300f)\\]!?]*$"
)
_ASKING = (
    "is|are|was|were|isn't|aren't|do|does|did|don't|doesn't|would|will|can|could|shall|should|may|"
    "have|has|had|what|how|which|when|where|who|whom|whose|why"
)
_BEGINS_AS_QUESTION = re.compile(rf"\W*(?:{_ASKING}|if|since|before|after)\b", re.IGNORECASE)
_TAG = re.compile(
    rf"(?:[,;:]|\s[-\u2013\u2014])\s+(?:so\s+|and\s+|but\s+)?"
    rf"(?:{_ASKING}|right|correct|ok|okay|anything|no|oder|stimmt|verdad)\b[^,]{{0,300}}$",
    re.IGNORECASE,
)
"""The question at the end of a statement."""
_STATED_QUESTION = re.compile(
    r"(?:did you know|are you aware|have you heard) that\s+(?=\S)", re.IGNORECASE
)
_ASKS_USER = (
    *_phrases("shall,should,may,can,could,must", "i,we"),
    *_phrases("would you,do you,did you", "like me,like us,like to,want,need,prefer,mean"),
    *_phrases("can you,could you,would you,will you", "please,tell,give,share,confirm,clarify"),
    *_phrases("anything", "else,more"),
)
_PARTICULARS = frozenset(
    "number numbers name names address email id code codes date dates birthday account order "
    "booking reservation ticket invoice budget destination passport city country language currency "
    "size reason timezone".split()
)
"""Personal data that only users know."""
_PLANS = frozenset(
    "book booked order ordered purchase buy bought pay paid travel travelling traveling fly flying "
    "leave leaving depart arrive return returning stay staying deliver ship send refer".split()
)
"""Plans that only users know."""
_QUESTION_WORDS = frozenset("what what's which when where how who".split())
_TASTES = frozenset("favorite favourite".split())
_PRESUPPOSING = re.compile(
    r"\d|\b(?:now that|since|because|given|although|though|despite)\b", re.IGNORECASE
)
"""A value or a reason that a question states."""


# a few sentences: several checks ask about the same one in turn
@lru_cache(maxsize=8)
def words_of(sentence: str) -> tuple[str, ...]:
    """Return the first words of a sentence in lower case; a contraction is one word."""
    return tuple(_WORD.findall(sentence[:READ].replace("\u2019", "'").casefold()))


def states_nothing(sentence: str, *, feelings: bool = True) -> bool:
    """
    Return whether a sentence is a greeting, an offer, a request or a refusal.

    Args:
        sentence: The sentence.
        feelings: Whether sentences about the speaker's own feelings count, too.

    >>> [states_nothing(one) for one in ("Hello Mia!", "All done!", "I hope this helps.")]
    [True, True, True]
    >>> states_nothing("Yes, he was a king.")
    False
    """
    words = words_of(sentence)
    if all(is_small(word) or word in HEDGES or word in _SILENT for word in words):
        return True
    return is_courtesy(sentence, feelings=feelings)


def is_courtesy(sentence: str, *, feelings: bool = False) -> bool:
    """
    Return whether a sentence, which has words, is a greeting, an offer or a request.

    Args:
        sentence: The sentence.
        feelings: Whether sentences about the speaker's own feelings count, too.

    >>> [is_courtesy(one) for one in ("Hello Mia!", "Let me know.", "That is great.", "I am glad.")]
    [True, True, False, False]
    """
    words = words_of(sentence)
    # "Hello Mia!": a greeting and at most three more words
    if _pad(words).startswith(_GREETINGS) and len(words) <= 4:
        return True
    text = _pad([words[0], *(word for word in words[1:] if word not in _SPEECH_ADVERBS)])
    text = text[len(next((lead for lead in _LEADS if text.startswith(lead)), " ")) - 1 :]
    # a long sentence, or one with "but", states something after its courtesy
    if len(sentence) > READ or " but " in text or text.startswith(_OF_NOTE):
        return False
    if text.startswith(_HERE) and sentence.rstrip(" *_").endswith(":"):
        return True
    offers = text.startswith(_CONDITIONS) and any(phrase in text for phrase in _HELP)
    return offers or text.startswith(_OFFERS) or (feelings and text.startswith(_FEELINGS))


def affirms(answer: str) -> bool:
    """
    Return whether an answer only says yes or no, so that its content is in the question.

    >>> [affirms(one) for one in ("Yes, it is.", "Nope!", "No problem.", "Yes, I can.")]
    [True, True, False, False]
    """
    words = words_of(answer)
    return (
        bool(words)
        and words[0] in _YES_OR_NO
        and all(is_small(word) or word in HEDGES or word in _YES_OR_NO for word in words)
        and _SPEAKER.isdisjoint(words)  # the speaker affirms what it can do, or thinks
    )


def refuses(sentence: str) -> bool:
    """
    Return whether a sentence says that something is unknown, was not found or cannot be done.

    >>> refuses("The passages do not say who won."), refuses("He does not eat meat.")
    (True, False)
    """
    words = words_of(sentence)
    text = _pad(words)
    if any(phrase in text for phrase in _REFUSALS):
        return True
    # "I could not find it, but it opens at 9" still states something
    last = max((place for place, word in enumerate(words) if word == "but"), default=0)
    places = range(last, len(words))  # only the clause after a `but` counts
    return any(words[place] in _NOT and _declines(words, place) for place in places)


def _declines(words: Sequence[str], place: int) -> bool:
    """
    Return whether a negation denies that a text mentions something, or that the speaker can find
    it.
    """
    # a few words on either side, so that the negation belongs to the phrase
    before, behind = words[max(0, place - 8) : place], words[place + 1 : place + 4]
    if not _LACKING.isdisjoint(behind) and not _TEXTS.isdisjoint(before):
        return True
    speaks = not _SPEAKER.isdisjoint(before) or (place == 0 and words[0] == "unable")
    if speaks and not _FINDING.isdisjoint(behind):
        return True
    phrase = _pad(behind)
    there = phrase.startswith((*_LACKED_THERE, " in ")) and not _TEXTS.isdisjoint(words[place:])
    return there or phrase.startswith(_LACKED)


def asks(sentence: str) -> bool:
    """
    Return whether a sentence ends as a question.

    >>> asks("Shall I book it?"), asks("Booked.")
    (True, False)
    """
    # 40 characters: the mark with closing quotes and brackets
    return _MARK.search(sentence[-40:]) is not None


def asks_user(question: str) -> bool:
    """
    Return whether a question offers something, or asks the user for details or what is meant.

    >>> asks_user("Shall I book it?"), asks_user("Which day do you mean?"), asks_user("Why so?")
    (True, True, False)
    >>> asks_user("What is your order number?"), asks_user("What is your favorite color?")
    (True, False)
    """
    words = words_of(question)
    joined = _pad(words)
    return any(phrase in joined for phrase in _ASKS_USER) or (
        _asks_particulars(frozenset(words)) and _PRESUPPOSING.search(question[:READ]) is None
    )


def _asks_particulars(words: frozenset[str]) -> bool:
    """Return whether a question is about something that only its reader can know."""
    if words.isdisjoint(_QUESTION_WORDS) or words & _TASTES:
        return False
    about_reader = not words.isdisjoint(("your", "the")) and not words.isdisjoint(_PARTICULARS)
    return about_reader or ("you" in words and not words.isdisjoint(_PLANS))


def statement_span(question: str) -> tuple[int, int]:
    """
    Return the offsets of the statement in a question; (0, 0) if it only asks.

    >>> statement_span("I have cancelled it, is that all?"), statement_span("Is it?")
    ((0, 19), (0, 0))
    >>> statement_span("Did you know that it is closed?")
    (18, 31)
    """
    if introduction := _STATED_QUESTION.match(question):
        return introduction.end(), len(question)
    tag = _TAG.search(question, max(0, len(question) - READ))
    if (
        tag is None
        or _BEGINS_AS_QUESTION.match(question)
        or len(question[: tag.start()].split()) < 3  # fewer words are no statement: "Well, is it?"
    ):
        return 0, 0
    return 0, tag.start()


def _pad(words: Sequence[str]) -> str:
    return f" {' '.join(words)} "


_READ, _OVERLAP, _MOST_READ = 600, 200, 20_000
"""Characters of a part of a sentence, of its overlap with the next, and in total: linear time."""
_ACTION_ADVERBS = r"(?:(?:just|now|already|also|since|then|\w{1,20}ly)\s+){0,3}"
_IRREGULAR = "sent paid made set put reset bought sold withdrawn".split()
_DONE = rf"(?:{'|'.join(sorted({*past_forms(), *_IRREGULAR}))})\b"
_REPORT = re.compile(
    rf"\b(?:i|we)(?:'ve|\s+have)?\s+{_ACTION_ADVERBS}{_DONE}"
    rf"|\bbeen\s+{_ACTION_ADVERBS}{_DONE}"
    rf"|\byour?\b(?:(?!\b(?:not|never)\b).){{0,120}}\b(?:is|are|was|were)\s+{_ACTION_ADVERBS}{_DONE}"
    rf"|\bsuccessfully\s+{_DONE}|\b(?=\w{{2,20}}\s+successfully\b){_DONE}",
    re.IGNORECASE,
)
_HINT = re.compile(r"\b(?:i|we|been|your?|successfully)\b", re.IGNORECASE)
"""A sentence without one of these words reports no action: this saves the slower search."""
_NEGATION = re.compile(r"\b(?:not|never|no|\w{2,6}n't)\s+(?:yet\s+|been\s+)?$", re.IGNORECASE)
_PROMISE = re.compile(
    rf"\b(?:i|we)(?:'ll|\s+will|\s+shall|(?:'m|\s+am|'re|\s+are)\s+going\s+to)\s+{_ACTION_ADVERBS}"
    rf"(\w{{2,20}})\b|\bwill\s+{_ACTION_ADVERBS}be\s+{_ACTION_ADVERBS}{_DONE}",
    re.IGNORECASE,
)


def reports_action(sentence: str) -> bool:
    """
    Return whether a sentence reports that its speaker did something, or that it has been done.

    >>> [reports_action(one) for one in ("I have cancelled it.", "I have not cancelled it.")]
    [True, False]
    """
    if _HINT.search(sentence) is None:
        return False
    read = sentence[:_MOST_READ].replace("\u2019", "'")
    steps = range(0, len(read), _READ - _OVERLAP)
    return any(_reports_in_part(read[start : start + _READ]) for start in steps)


def _reports_in_part(text: str) -> bool:
    return any(
        # 20 characters: the longest negation with "yet" or "been"
        _NEGATION.search(text, max(0, match.start() - 20), match.start()) is None
        for match in _REPORT.finditer(text)
    )


def promises(sentence: str) -> bool:
    """
    Return whether a sentence commits its speaker to an action.

    >>> [promises(one) for one in ("I will cancel it.", "It will be refunded.", "I'll look.")]
    [True, True, False]
    """
    matches = _PROMISE.finditer(sentence[:_MOST_READ].replace("\u2019", "'"))
    return any(one[1] is None or is_action(one[1].casefold()) for one in matches)
