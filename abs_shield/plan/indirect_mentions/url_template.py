"""The parameter's description has a URL template, filled with mentioned values."""

from __future__ import annotations

from abs_shield.plan.judged_arguments import Argument
from abs_shield.session import Session
from abs_shield.session.session_record import mentions_of
from abs_shield.text.id_templates import template_values, templates
from abs_shield.text.normal import normal


def url_template(argument: Argument, session: Session) -> bool:
    """Return whether a URL fills a template of the schema: ``https://{ip}/v1/nodes``."""
    text = normal(argument.text)
    if "://" not in text:
        return False
    for template in templates(argument.description):
        filled = template_values(template, text)
        if filled and all(mentions_of(session).origin(part) is not None for part in filled):
            return True
    return False
