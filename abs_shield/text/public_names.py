"""Names that an agent may use without a mention: countries, and public sites."""

from __future__ import annotations

from urllib.parse import urlsplit

_NAMES = (
    "afghanistan,albania,algeria,andorra,angola,antigua and barbuda,argentina,armenia,australia,"
    "austria,azerbaijan,bahamas,bahrain,bangladesh,barbados,belarus,belgium,belize,benin,bhutan,"
    "bolivia,bosnia and herzegovina,botswana,brazil,brunei,bulgaria,burkina faso,burundi,cambodia,"
    "cameroon,canada,cape verde,cabo verde,central african republic,chad,chile,china,colombia,"
    "comoros,congo,costa rica,croatia,cuba,cyprus,czech republic,czechia,denmark,djibouti,dominica,"
    "dominican republic,east timor,ecuador,egypt,el salvador,england,equatorial guinea,eritrea,"
    "estonia,eswatini,ethiopia,fiji,finland,france,gabon,gambia,georgia,germany,ghana,greece,"
    "grenada,guatemala,guinea,guyana,haiti,holland,honduras,hong kong,hungary,iceland,india,"
    "indonesia,iran,iraq,ireland,israel,italy,ivory coast,jamaica,japan,jordan,kazakhstan,kenya,"
    "kiribati,kosovo,kuwait,kyrgyzstan,laos,latvia,lebanon,lesotho,liberia,libya,liechtenstein,"
    "lithuania,luxembourg,macau,madagascar,malawi,malaysia,maldives,mali,malta,marshall islands,"
    "mauritania,mauritius,mexico,micronesia,moldova,monaco,mongolia,montenegro,morocco,mozambique,"
    "myanmar,namibia,nauru,nepal,netherlands,the netherlands,new zealand,nicaragua,niger,nigeria,"
    "north korea,north macedonia,northern ireland,norway,oman,pakistan,palau,palestine,panama,"
    "papua new guinea,paraguay,peru,philippines,poland,portugal,puerto rico,qatar,romania,russia,"
    "rwanda,saint kitts and nevis,saint lucia,samoa,san marino,saudi arabia,scotland,senegal,"
    "serbia,seychelles,sierra leone,singapore,slovakia,slovenia,solomon islands,somalia,"
    "south africa,south korea,korea,south sudan,spain,sri lanka,sudan,suriname,sweden,switzerland,"
    "syria,taiwan,tajikistan,tanzania,thailand,togo,tonga,trinidad and tobago,tunisia,turkey,"
    "türkiye,turkmenistan,tuvalu,uganda,ukraine,united arab emirates,united kingdom,great britain,"
    "united states,united states of america,america,uruguay,uzbekistan,vanuatu,vatican city,"
    "venezuela,vietnam,wales,yemen,zambia,zimbabwe,usa,u.s.,u.s.a.,uk,u.k.,uae"
)
_COUNTRIES = frozenset(_NAMES.split(","))


def is_country(text: str) -> bool:
    """
    Return whether *text* is a country's English name.

    >>> is_country("South Korea"), is_country("Atlantis")
    (True, False)
    """
    return text.strip().casefold() in _COUNTRIES


# ISO 3166-1, and `uk`, which is commonly used instead of `gb`.
_CODES = frozenset(
    "ad ae af ag al am ao ar at au az ba bb bd be bf bg bh bi bj bn bo br bs bt bw by bz ca cd cf "
    "cg ch ci cl cm cn co cr cu cv cy cz de dj dk dm do dz ec ee eg er es et fi fj fm fr ga gb gd "
    "ge gh gm gn gq gr gt gw gy hk hn hr ht hu id ie il in iq ir is it jm jo jp ke kg kh ki km kn "
    "kp kr kw kz la lb lc li lk lr ls lt lu lv ly ma mc md me mg mh mk ml mm mn mo mr mt mu mv mw "
    "mx my mz na ne ng ni nl no np nr nz om pa pe pg ph pk pl pr ps pt pw py qa ro rs ru rw sa sb "
    "sc sd se sg si sk sl sm sn so sr ss st sv sy sz td tg th tj tl tm tn to tr tt tv tw tz ua ug "
    "uk us uy uz va vc ve vn vu ws ye za zm zw".split()
)


def is_country_code(text: str) -> bool:
    """
    Return whether *text* is the two-letter code of a country, in capitals.

    >>> is_country_code("US"), is_country_code("us"), is_country_code("ZZ")
    (True, False, False)
    """
    # In lower case, "us", "it" and "in" are words.
    return len(text) == 2 and text.isupper() and text.casefold() in _CODES


_POPULAR = frozenset(
    "wikipedia.org wikimedia.org wikidata.org github.com githubusercontent.com gitlab.com "
    "bitbucket.org google.com bing.com duckduckgo.com youtube.com reddit.com stackoverflow.com "
    "stackexchange.com ycombinator.com pypi.org npmjs.com crates.io rubygems.org "
    "packagist.org docker.com python.org nodejs.org mozilla.org w3.org ietf.org rfc-editor.org "
    "arxiv.org doi.org crossref.org nih.gov pubmed.gov who.int europa.eu openstreetmap.org "
    "imdb.com linkedin.com twitter.com x.com facebook.com instagram.com medium.com nytimes.com "
    "bbc.com bbc.co.uk cnn.com reuters.com theguardian.com bloomberg.com amazon.com apple.com "
    "microsoft.com yahoo.com weather.com weather.gov archive.org huggingface.co kaggle.com "
    "readthedocs.io openai.com anthropic.com".split()
)


def is_popular_site(url: str) -> bool:
    """
    Return whether *url* is on a well-known public site.

    >>> is_popular_site("https://en.wikipedia.org/wiki/Emma"), is_popular_site("https://mia.org")
    (True, False)
    """
    try:
        # The host is within the first 512 characters.
        host = urlsplit(url[:512] if "://" in url else f"//{url[:512]}").hostname or ""
    except ValueError:  # brackets without a valid IPv6 address
        return False
    labels = host.casefold().split(".")
    return any(".".join(labels[-size:]) in _POPULAR for size in (2, 3))  # example.org and bbc.co.uk
