"""Sentences that claim nothing about the world, and those that say a deed was done."""

from __future__ import annotations

import re

from abs_shield.text.verbs import is_action, past_forms

_READ = 600
"""Characters at a sentence's beginning in which set phrases are looked for."""
_CURLY = "\u2019"
_OVERLAP = 200
_LEAST_REASON = 2
_MOST_READ = 20_000
"""Characters of one sentence in which deeds are looked for."""
_QUESTION = re.compile(
    "[?\uff1f\u061f\u037e\u2047-\u2049][\\s\"'\u201d\u2019\u00bb\u300d\u300f)\\]!?]*$"
)
_TAG = re.compile(
    r"(?:[,;:]|\.\.|\s[-\u2013\u2014])\s+(?:so\s+|and\s+|but\s+)?(?:is|are|was|were|isn't|"
    r"aren't|do|does|did|don't|doesn't|would|will|can|could|shall|should|may|have|has|right|correct|ok|okay|anything|"
    r"what|how|which|when|where|who|whose|why|oder|stimmt|n'est-ce|verdad|no)\b[^,]{0,300}$",
    re.IGNORECASE,
)
_KNOWN = re.compile(
    r"\W*(?:(?:so|and|but|well|oh|hey|also|by the way),?\s+)?(?:(?:did|do) you (?:also )?"
    r"(?:know|realize|hear) that|did you (?:also )?know|are you aware(?: of the fact)?(?: that)?|"
    r"have you heard(?: that)?|you know(?: that)?),?\s+"
    r"(?!(?:what|how|which|when|where|who|whom|whose|why|if|whether|any|anything|anyone|about|of|"
    r"from|me)\b)(?=\S)",
    re.IGNORECASE,
)
_ASKS = re.compile(
    r"\W*(?:is|are|was|were|do|does|did|would|will|can|could|shall|should|may|have|has|had|what|how|"
    r"which|when|where|who|whom|whose|why|if|in case|since|before|after|just to)\b",
    re.IGNORECASE,
)
_OFFER = re.compile(
    r"\b(?:shall|should|may|can|could|must) (?:i|we)\b|\b(?:would|do|did) you (?:also |still )?"
    r"(?:like (?:me|us|to)\b|want|need|prefer|mean|wish|have (?:any|an|a|the|your|in mind)\b)"
    r"|\b(?:can|could|would|will) you (?:please )?(?:clarify|tell|provide|share|specify|confirm"
    r"|give|let|send|describe|explain|rephrase)\b|\banything (?:else|more)\b",
    re.IGNORECASE,
)
_PARTICULARS = re.compile(
    r"\bwh(?:at|ich)(?:'s| is| are| was| were)? (?:your|the) (?:(?!favou?rite)[\w'-]{1,20} ){0,3}"
    r"(?:numbers?|names?|address(?:es)?|e-?mails?|ids?|codes?|dates?|birthday|accounts?|orders?|"
    r"bookings?|reservations?|tickets?|invoices?|budget|destination|passport|city|country|"
    r"language|currency|size|reason|time ?zone)\b"
    r"|\b(?:what|which|when|where|how (?:many|much|long|often)|who)\b[^?]{0,60}"
    r"\b(?:would|will|did|do|are|should) you (?:[\w'-]{1,20} ){0,3}?(?:book|booked|order|ordered|"
    r"purchase|purchased|buy|bought|pay|paid|travel|travelling|traveling|fly|flying|leave|leaving|"
    r"depart|arrive|return|returning|stay|staying|deliver|ship|send|refer|referring)\b",
    re.IGNORECASE,
)
"""
Questions for what only the user knows, such as an order's number.

Not for tastes and opinions: in answers of chats beside documents such questions nearly always
presuppose what the documents do not say.
"""
_PRESUPPOSES = re.compile(
    r"\d|\b(?:now that|since|because|given|although|though|after|before|despite)\b", re.IGNORECASE
)
"""What a question says besides asking: a figure, or a reason."""
_ONWARD = r"(?:(?!\bbut\b).)*"
_COURTESY = re.compile(
    r"\W*(?:(?:however|but|now|so|then|also|otherwise|unfortunately|in that case|great|ok|okay|"
    r"sure|alright|perfect|thanks|as an ai(?: \w{1,12}){0,3})[,!]?\s+)?"
    r"(?:(?:hi|hello|hey|dear|greetings|good (?:morning|afternoon|evening|day)|welcome|thanks|"
    r"thank you|you're welcome|you are welcome|my pleasure|sure(?: thing)?|of course|certainly|"
    r"absolutely|great|perfect|awesome|excellent|wonderful|okay|ok|got it|understood|alright|right|"
    r"no (?:problem|worries|need|idea|doubt|rush|hurry|way|thanks|luck)|bye|"
    r"goodbye|cheers|good luck|take care|sorry|"
    r"hallo|guten (?:tag|morgen|abend)|danke|vielen dank|gerne?|bitte|bonjour|merci|salut|"
    r"de rien|hola|gracias|de nada|ciao|grazie|prego|ol\u00e1|obrigad[oa]|"
    r"\u4f60\u597d|\u60a8\u597d|\u8c22\u8c22|\u3053\u3093\u306b\u3061\u306f|\u3042\u308a\u304c\u3068\u3046"
    r"|\u0437\u0434\u0440\u0430\u0432\u0441\u0442\u0432\u0443\u0439\u0442\u0435|\u0441\u043f\u0430\u0441\u0438\u0431\u043e)\b(?:[\s,!]+[^\s.,]{1,20}){0,3}"
    r"|(?:yes|no|yeah|yep|nope)\b(?:\s?[,!]\s?[^\s.,]{1,20}|(?:[\s,!]+(?:please|thanks|thank|sir|"
    r"madam|right|correct|true|way|that|this|it|you|is|are|so|very|'?s|'?re|of|course)){1,6})?"
    r"|(?:thanks|thank you|sorry|vielen dank|merci|gracias) (?:for|f\u00fcr|pour|por)\b[^,;]{0,100}"
    r"|i'?(?:m| am) (?:so |very |really |truly |deeply )?(?:sorry|glad|happy|pleased|here to|"
    rf"not (?:sure|certain)|afraid)\b{_ONWARD}"
    rf"|i (?:apologi[sz]e|hope|appreciate|don't know)\b{_ONWARD}"
    r"|i (?:think|guess|hope|believe) so\b[^,;]{0,60}|i understand[^\w\s]*"
    r"|i (?:\w{1,12} )?understand (?:that )?(?:you|your|how|why|what|this|that|it|the|and|my)\b"
    rf"{_ONWARD}"
    r"|(?:i|we)(?: can| could| will| would|'ll|'d) (?:\w{1,12} ){0,2}"
    r"(?:help|assist|guide|walk|check|look|try|proceed|need|like|love|happy|glad|connect|"
    r"go ahead|get back|"
    rf"do (?:that|so|this))\b{_ONWARD}"
    rf"|(?:i|we) (?:wish|want|need|am able to)\b{_ONWARD}"
    r"|(?:we|our team) apologi[sz]e.*|we hope .*|my apologies.*"
    r"|please (?!note|be a|be adv|remember|keep in mind|know|see that).*"
    r"|let me\b.*|let us\b.*|let's\b.*|feel free\b.*|(?:just )?let .{1,20} know\b.*"
    r"|if you (?:have|need|would|want|wish|'d)\b.*"
    r"\b(?:let me know|ask|contact|reach|help|assist)\b.*"
    r"|(?:if|once|when|after|as soon as) you\b.*\b(?:i|we)(?:'ll| can| will| could| would)\b.*"
    r"|if there(?:'s| is| are)? (?:any|some)(?:thing|one)?\b.*"
    r"\b(?:let me know|ask|contact|reach|help|assist)\b.*"
    r"|if (?:yes|no|so|not)\b.*\b(?:i|we)(?:'ll| can| will| could| would)\b.*"
    r"|(?:do not|don't) hesitate\b.*|(?:(?:that|this|it) )?sounds (?:good|great|fine|like a "
    r"(?:\w{1,12} ){0,2}(?:plan|idea|deal))\b.*"
    r"|(?:i|we)(?: cannot| can't| can not| won't| will not"
    r"|(?:'m|'re| am| are) (?:unable|not able) to)\b"
    rf"{_ONWARD}"
    r"|(?:here|below)(?:'s| is| are)\b.*:"
    r"|(?:happy|glad|here) to help.*|hope (?:this|that|it) helps.*|it depends|maybe|perhaps"
    rf"|(?:maybe|perhaps|possibly|probably|presumably)\b{_ONWARD}"
    rf"|(?:it|this|that|they|there) (?:might|may|could)\b{_ONWARD}"
    r"|have a (?:great|good|nice|wonderful|lovely|safe)\b.*)\W*",
    re.IGNORECASE | re.DOTALL,
)
_NOT = r"(?:do(?:es)? not|don't|doesn't|did not|didn't)"
_UNABLE = (
    r"(?:could not|couldn't|cannot|can not|can't|am not able to|was not able to|"
    r"(?:am|'m|are|was|were) unable to)"
)
_LACKING = (
    r"(?:mention|say|state|specify|provide|contain|include|give|discuss|address|offer|indicate|"
    r"cover|explain|answer|tell|describe|have|list|show)"
)
_TEXTS = (
    r"(?:passages?|contexts?|documents?|texts?|sources?|articles?|information (?:provided|given)|"
    r"(?:provided|given|available) information|evidence|excerpts?|(?:search|tool) results?|"
    r"records?|database)"
)
_READ_IN = r"(?:(?:provided|given|supplied|available|retrieved|above) \w+|snippets?)"
_NOT_BEEN = r"\b(?:is|are|was|were|has been|have been)(?: not|n't) (?:\w+ )?"
_REFUSAL = re.compile(
    rf"\b{_TEXTS}\b.{{0,80}}\b{_NOT}\s+(?:\w+\s+){{0,2}}{_LACKING}\b"
    rf"|{_NOT_BEEN}(?:mentioned|stated|specified|discussed) (?:in|by)\b"
    rf"|{_NOT_BEEN}(?:provided|given|addressed|included|covered|listed|contained) (?:in|by) "
    rf"(?:\w+ ){{0,4}}(?:{_TEXTS}|{_READ_IN})\b"
    r"|\b(?:no|not enough|insufficient) (?:\w+ ){0,2}(?:information|mention|details?|evidence)\b"
    rf"|\bi\b.{{0,30}}\b{_NOT} (?:actually |currently )?(?:find|see|know|have (?:access|any|enough|"
    r"(?:\w+ )?information|(?:\w+ )?details))\b"
    rf"|\bi\b.{{0,30}}\b{_UNABLE} (?:find|answer|locate|see|access|provide|determine|confirm|"
    r"verify|help|assist|tell|say|retrieve)\b|\bi'm unable to\b"
    rf"|\bwe {_UNABLE} (?:find|answer|locate|determine|confirm|verify)\b"
    r"|^\W*unable to (?:answer|find|locate|determine|provide|confirm)"
    r"|\bich (?:konnte|kann)\b.{0,80}\b(?:nicht|keine?n?) (?:\w+ )?(?:finden|sagen|beantworten)\b"
    r"|\bje (?:n'ai pas trouv|ne (?:peux|trouve))|\bno (?:he podido|pude|puedo|encontr)"
    r"|\bnon (?:ho trovato|posso)|\bn\u00e3o (?:encontrei|posso)"
    r"|\u6ca1\u6709\u627e\u5230|\u65e0\u6cd5|\u627e\u4e0d\u5230"
    r"|\u898b\u3064\u304b\u308a\u307e\u305b\u3093",
    re.IGNORECASE,
)
_IRREGULAR = r"(?:sent|paid|made|set|put|reset|bought|sold|withdrawn|given|taken|begun|written|run)"
_DONE = rf"(?:{'|'.join(sorted({*past_forms()}))}|{_IRREGULAR})"
_ADVERBS = r"(?:(?:just|now|already|successfully|also|since|then|fully|duly|\w{1,20}ly)\s+){0,3}"
_SAID = (
    r"(?:look|check|review|search|consider|analy[sz]|not|summari[sz]|mention|explain|describ|list"
    r"|includ|provid|identif|verif|receiv|locat|attempt|tri|assum|understand|examin|notic|bas"
    r"|discuss|outlin|highlight|learn|liv|work|play|visit|watch|want|lov|enjoy|us|need|hear)"
)
_ACTION = re.compile(
    rf"\b(?:i|we)(?:\s+have|'ve)\s+{_ADVERBS}(?!{_SAID}\w{{0,3}}ed\b)(?:\w{{2,20}}ed|{_IRREGULAR})\b"
    rf"|\b(?:i|we)\s+{_ADVERBS}{_DONE}\b"
    rf"|\b(?:have|has|had|is|are)\s+(?:now\s+|already\s+|just\s+|also\s+)?been\s+{_ADVERBS}{_DONE}\b"
    rf"|\byour?\b.{{0,120}}\b(?:was|were|is now|are now|is|are)\s+{_ADVERBS}{_DONE}\b"
    rf"|\bsuccessfully\s+{_DONE}\b|\b(?=\w{{2,20}}\s+successfully\b){_DONE}"
    r"|\b(?:ich habe|wir haben)\b.{0,120}"
    r"\b(?:\w{0,20}ge\w{2,20}(?:t|en)|\w{2,20}iert|ver\w{2,20}t)\b"
    r"|\b(?:wurde|wurden)\b.{0,120}\b(?:storniert|gebucht|erstattet|versandt|gesendet|ge\u00e4ndert|"
    r"gel\u00f6scht|erstellt|aktualisiert|best\u00e4tigt|bezahlt)\b"
    r"|\b(?:he|hemos)\s+(?:\w{1,20}mente\s+)?\w{2,20}(?:ado|ido)\b|\bha sido \w{2,20}ad[oa]\b"
    r"|\b(?:j'ai|nous avons)\s+(?:\w{1,20}\s+)?\w{2,20}(?:\u00e9|i)\b"
    r"|\b(?:ho|abbiamo)\s+\w{2,20}(?:ato|ito|uto)\b|\b(?:cancelei|reservei|enviei|alterei|emiti)\b"
    r"|\u5df2(?:\u7ecf)?(?:\u4e3a\u60a8|\u5e2e\u60a8|\u53d6\u6d88|\u9000\u6b3e|\u9884\u8ba2|\u53d1\u9001|\u66f4\u65b0)"
    r"|\u307e\u3057\u305f(?=[\u3002\uff01!]|$)|\u044f (?:\u043e\u0442\u043c\u0435\u043d\u0438\u043b"
    r"|\u043e\u0444\u043e\u0440\u043c\u0438\u043b|\u043e\u0442\u043f\u0440\u0430\u0432\u0438\u043b)",
    re.IGNORECASE,
)
_CANNOT = re.compile(
    rf"\b(?:i|we|it)\b.{{0,30}}(?:{_UNABLE}|\bwon't\b|\bwill not\b)"
    r"|\bnot (?:possible|able|allowed)\b",
    re.IGNORECASE,
)
_SUBJECT = r"(?:the|your?|its?|this|that|these|those|there|they|their|he|his|she|her|we|our|all|no)"
_REASON = re.compile(
    r"\b(?:because(?! of\b)|given that|seeing that"
    rf"|since(?= {_SUBJECT}\b)|(?<!well )(?<!soon )(?<!far )(?<!long )as(?= {_SUBJECT}\b))\s+"
    r"|\b(?:because of|due to|owing to|on account of)\s+",
    re.IGNORECASE,
)
_NO_REASON = re.compile(
    r"(?:i|my)\b|(?:you|we) (?:ask|request|said|mention|know|can see|discuss|note)|this is what"
    r"|(?:\w+ ){0,4}\w+(?:n't| not) (?:in|among|part of) (?:\w+ ){1,3}"
    rf"(?:{_TEXTS}|system|files|knowledge)\b",
    re.IGNORECASE,
)
_REASON_ENDS = re.compile(r",\s+(?:i|we|it|so|and|but)\b", re.IGNORECASE)
_UNDONE = re.compile(
    r"\b(?:not|never|n't|nicht|keine?n?|no|unable)\b\s+(?:yet\s+|been\s+)?\S{0,20}$",
    re.IGNORECASE,
)


_PROMISE = re.compile(
    r"\b(?:i|we)(?:'ll| will| shall|(?:'m| am|'re| are) going to)\s+" + _ADVERBS + r"(\w{2,20})\b"
    rf"|\bwill\s+{_ADVERBS}be\s+{_ADVERBS}{_DONE}\b",
    re.IGNORECASE,
)


def asks(sentence: str) -> bool:
    """
    Whether *sentence* ends as a question.

    >>> asks("Shall I book it?"), asks("Booked.")
    (True, False)
    """
    return _QUESTION.search(sentence[-40:]) is not None


def offers(question: str) -> bool:
    """
    Return whether *question* offers something, or asks the user for particulars or what is meant.

    >>> offers("Shall I book it?"), offers("Which day do you mean?"), offers("Do you like jazz?")
    (True, True, False)
    >>> offers("What is your order number?"), offers("What is your favorite color?")
    (True, False)
    """
    read = question[:_READ].replace(_CURLY, "'")
    if _OFFER.search(read) is not None:
        return True
    return _PARTICULARS.search(read) is not None and _PRESUPPOSES.search(read) is None


def said_before_asking(sentence: str) -> int:
    """
    Give the length of what a question states before it asks; 0 where it only asks.

    >>> said_before_asking("I have cancelled it, is that all?"), said_before_asking("Is it?")
    (19, 0)
    """
    tail = max(0, len(sentence) - _READ)
    sentence = sentence.replace(_CURLY, "'")
    tag = _TAG.search(sentence, tail)
    if tag is None or _ASKS.match(sentence) or len(sentence[: tag.start()].split()) < 3:
        return 0
    return tag.start()


def said_in_asking(sentence: str) -> int:
    """
    Give the length of a ``Did you know that`` before what a question states; 0 without one.

    >>> said_in_asking("Did you know that it is closed?"), said_in_asking("Is it closed?")
    (18, 0)
    """
    known = _KNOWN.match(sentence)
    return known.end() if known else 0


def courteous(sentence: str) -> bool:
    """
    Whether *sentence* is a greeting, thanks, an offer, a request or a hedge without content.

    >>> courteous("Hello Mia!"), courteous("I hope this helps."), courteous("Yes, he was a king.")
    (True, True, False)
    """
    return len(sentence) <= _READ and _COURTESY.fullmatch(sentence.replace(_CURLY, "'")) is not None


def refuses(sentence: str) -> bool:
    """
    Whether *sentence* says that something is not known, not found or cannot be done.

    >>> refuses("The passages do not say who won."), refuses("He does not eat meat.")
    (True, False)
    """
    return _REFUSAL.search(sentence[:_READ].replace(_CURLY, "'")) is not None


def reason_in(sentence: str) -> tuple[int, int]:
    """
    Give where the reason for an inability or a refusal stands; (0, 0) where none is given.

    What the speaker says of itself, or does not know, is no reason that anybody could check.

    >>> said = "I cannot refund you because your fare is basic."
    >>> said[slice(*reason_in(said))], reason_in("I cannot say, as the text does not tell.")
    ('your fare is basic.', (0, 0))
    """
    read = sentence[:_READ].replace(_CURLY, "'")
    cue = _REASON.search(read)
    if cue is None:
        return 0, 0
    end = _REASON_ENDS.search(read, cue.end()) if not read[: cue.start()].strip() else None
    behind = end.start() if end else len(sentence)
    refused = read[: cue.start()] if end is None else read[end.start() :]
    reason = read[cue.end() : behind]
    if _NO_REASON.match(reason) or refuses(reason) or len(reason.split()) < _LEAST_REASON:
        return 0, 0
    return (cue.end(), behind) if _CANNOT.search(refused) or refuses(refused) else (0, 0)


def promises(sentence: str) -> bool:
    """
    Whether *sentence* commits its speaker to a deed.

    >>> promises("I will cancel it."), promises("It will be refunded."), promises("I'll look.")
    (True, True, False)
    """
    return any(
        said[1] is None or is_action(said[1].lower())
        for said in _PROMISE.finditer(sentence[:_MOST_READ].replace(_CURLY, "'"))
    )


def does(sentence: str) -> bool:
    """
    Whether *sentence* says that its speaker did something, or that it has been done.

    >>> does("I have cancelled your booking."), does("I have not cancelled it."), does("It rains.")
    (True, False, False)
    """
    sentence = sentence.replace(_CURLY, "'")
    steps = range(0, min(len(sentence), _MOST_READ), _READ - _OVERLAP)
    return any(_deed(sentence[start : start + _READ]) for start in steps)


def _deed(read: str) -> bool:
    return any(
        _UNDONE.search(deed[0]) is None and " not " not in deed[0].lower()
        for deed in _ACTION.finditer(read)
    )
