"""Public sites that every model knows, so that a lookup of one is not invented."""

from __future__ import annotations

from urllib.parse import urlsplit

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
    Return whether *url* leads to a public site that every model knows.

    >>> is_popular_site("https://en.wikipedia.org/wiki/Emma"), is_popular_site("https://mia.org")
    (True, False)
    """
    try:
        # the host is in the first 512 characters
        host = urlsplit(url[:512] if "://" in url else f"//{url[:512]}").hostname or ""
    except ValueError:  # a bracket that is not the address of a host
        return False
    labels = host.casefold().split(".")
    return any(".".join(labels[-size:]) in _POPULAR for size in (2, 3))  # example.org and bbc.co.uk
