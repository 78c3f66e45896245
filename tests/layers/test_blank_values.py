"""The phantom_target layer reports template blanks such as `<name>` in any short argument."""

from __future__ import annotations

import pytest

from abs_shield import Shield, Tool, ToolCall, shield

TEXT = {"type": "string"}


def find_problems(tool, arguments, *, prompt="Please do it for me now.", results=()):
    """Return place, code and basis of each finding of one call; *tool* is a name or a Tool."""
    declared = tool if isinstance(tool, Tool) else Tool(name=tool)
    guard = Shield(shield.configure(tools=[declared], layers=["phantom_target"]), hooks=None)
    with guard.session() as session:
        session.user(prompt)
        for name, value in results:
            session.tool_result(name, value)
        findings = guard.check_call(ToolCall(declared.name, arguments)).findings
    return [(one.where.removeprefix("/arguments/"), one.code, one.basis) for one in findings]


@pytest.mark.parametrize(
    "name",
    "body message note title subject query reason status amount date due_date model priority "
    "category url tags comment summary description order_id customer_name city what".split(),
)
@pytest.mark.parametrize("value", ["<customer_name>", "[Your Name]", "insert the text here"])
def test_blank_is_reported_in_every_kind_of_argument(name, value):
    """A blank is reported in free text, statuses, dates, ids and names alike."""
    assert [(name, "placeholder", "placeholder")] == find_problems("send", {name: value})


def test_blank_is_reported_as_id_of_created_entity():
    """A creating call may choose its own id, but a blank as that id is reported."""
    for value in ("<order_id>", "{{order_id}}", "[insert id here]"):
        assert [("order_id", "placeholder", "placeholder")] == find_problems(
            "create_order", {"order_id": value}
        )


@pytest.mark.parametrize("value", ["${ORDER_ID}", "[[order_id]]", "<<order_id>>", "<placeholder>"])
def test_variable_or_blank_is_reported_as_id(value):
    """A template variable or a bracketed blank is reported as an id."""
    assert [("order_id", "placeholder", "placeholder")] == find_problems(
        "get_order", {"order_id": value}
    )


def test_blank_is_reported_in_nested_arguments():
    """A blank inside a list of objects is reported at the pointer of its leaf."""
    arguments = {"people": [{"note": "Hello."}, {"note": "[Your Name]"}]}

    assert [("people/1/note", "placeholder", "placeholder")] == find_problems("send", arguments)


@pytest.mark.parametrize(
    "prompt", ["请帮我发送邮件。", "Bitte schick die Mail.", "メールを送って。"]
)
def test_blank_is_reported_in_runs_of_any_language(prompt):
    """A blank is reported when the user writes Chinese, German or Japanese."""
    assert [("body", "placeholder", "placeholder")] == find_problems(
        "send", {"body": "<your name>"}, prompt=prompt
    )


def test_blank_is_reported_in_declared_free_text():
    """A blank is reported in a parameter declared as free text, unless the allowlist admits it."""
    free = Tool(name="send", free=("body",))
    allowed = Tool(name="send", free=("body",), allow=(lambda value: value == "{{customer_name}}",))

    assert [("body", "placeholder", "placeholder")] == find_problems(
        free, {"body": "{{customer_name}}"}
    )
    assert [] == find_problems(allowed, {"body": "{{customer_name}}"})


def test_blank_that_the_run_contains_verbatim_passes():
    """A blank passes if the user or a result wrote it verbatim, not if only its words occur."""
    user_text = "Set the greeting to {customer_name}, literally."
    results = [("get_template", {"text": "Dear [Your Name], hello"})]

    assert [] == find_problems("set_greeting", {"text": "{customer_name}"}, prompt=user_text)
    assert [] == find_problems("set_greeting", {"text": "[Your Name]"}, results=results)
    assert [] != find_problems(
        "set_greeting", {"text": "{customer_name}"}, prompt="Name it customer_name."
    )
    assert [] != find_problems(
        "send", {"body": "insert name here"}, prompt="Insert a note with my name. It stays here."
    )


HONEST = [
    ("create_template", {"body": "{{customer_name}}"}),
    ("create_form_field", {"label": "[Name]", "placeholder": "Enter your email here"}),
    ("add_field", {"placeholder": "Enter your email", "hint": "insert your name here"}),
    ("find", {"pattern": "[name]", "regex": "{name}", "selector": "<name>"}),
    ("write_file", {"content": "{user_id}", "source": "<name>"}),
    ("edit_file", {"edits": [{"oldText": "{user_id}", "newText": "<name>"}]}),
    ("str_replace", {"old_str": "<name>", "new_str": "<email>"}),
    ("render", {"html": "<address>", "format": "{date}"}),
    ("add_route", {"route": "{user_id}"}),
    ("think", {"thought": "[order id]"}),
    ("read_sheet", {"columns": ["[Order Id]"], "range": "[Order Id]"}),
    ("send", {"body": "<b>", "message": "[INST]", "note": "[x]", "title": "[Team Meeting]"}),
    ("send", {"body": "Dear {name}, your order <order_id> is here."}),
    ("press", {"key": "<Enter>"}),
    ("send", {"note": "<name>", "body": "[Your order]", "title": "Insert coin here"}),
    ("send", {"note": "<address>", "body": "<key>", "title": "<date>", "text": "insert here"}),
    ("send", {"note": "${ORDER_ID}"}),
    ("track", {"action": "ADD_TO_CART"}),
    ("notify", {"subject": "[no subject]", "note": "<@U123>"}),
]


@pytest.mark.parametrize(("tool", "arguments"), HONEST)
def test_bracketed_text_that_is_not_a_blank_passes(tool, arguments):
    """Bracketed text of templates, forms, patterns, code, tags, keys and mentions passes."""
    assert [] == find_problems(tool, arguments)


def test_blank_that_the_schema_contains_passes():
    """A blank passes if it is an enum member, a default, a pattern match or in the description."""
    schema = {
        "type": "object",
        "properties": {
            "status": {"enum": ["<any status>", "[status]"]},
            "title": {**TEXT, "default": "[Title]"},
            "note": {**TEXT, "description": "Write <your name> for the owner's name."},
            "tag": {**TEXT, "pattern": r"^\[[a-z]+\]$"},
        },
    }
    arguments = {"status": "[status]", "title": "[Title]", "note": "<your name>", "tag": "[tag]"}

    assert [] == find_problems(Tool(name="send", parameters=schema), arguments)
