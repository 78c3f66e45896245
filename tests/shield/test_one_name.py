"""A second function with a tool's name is rejected, unless its module was reloaded."""

from __future__ import annotations

import functools
from types import ModuleType
from typing import Annotated

import pytest

from abs_shield import (
    CallBlocked,
    Injected,
    PolicyError,
    Shield,
    Target,
    Tool,
    shield,
    shielded,
)
from abs_shield.shield.signature import bind


@pytest.fixture
def firewall() -> Shield:
    """Return a strict Shield without hooks."""
    return Shield(shield.configure(mode="strict"), hooks=None)


class Db:
    """A client of one tenant."""

    def __init__(self, tenant: str) -> None:
        self.tenant = tenant

    def whoami(self) -> str:
        """Say whose data this is."""
        return self.tenant

    @classmethod
    def kind(cls) -> str:
        """Say which client this is."""
        return cls.__name__

    @staticmethod
    def update(amount: int) -> int:
        """Update something."""
        return amount


class Other(Db):
    """Another client."""


def update(note: str) -> str:
    """Update something else."""
    return note


def test_two_methods_of_one_name_are_refused(firewall):
    """The error has both places; the first method is still judged by its own schema."""

    class A:
        @shielded(firewall)
        def update(self, a: int) -> int:
            return a

    with pytest.raises(PolicyError) as refused:

        class B:
            @shielded(firewall)
            def update(self, b: str) -> str:
                return b

    message, here = str(refused.value), __file__
    first = test_two_methods_of_one_name_are_refused.__code__.co_firstlineno + 4
    assert f"`update` is two functions: `{A.__qualname__}.update` at {here}:{first}, and" in message
    assert f"B.update` at {here}:{first + 7}; give one another name, or use" in message
    assert 3 == A().update(3)


def test_two_functions_of_one_name_are_refused(firewall):
    """`register` rejects it like the decorator, even for a static method."""
    firewall.register(update)

    with pytest.raises(PolicyError, match=r"`update` is two functions: .*, and `Db\.update` at"):
        firewall.register(Db.update)
    assert "note" == firewall.dispatch("update", {"note": "note"})


def test_bare_tools_of_one_name_are_refused():
    """A shared tool has one function, too."""

    @shielded(name="update")
    def one(a: int) -> int:
        return a

    with pytest.raises(PolicyError, match="two functions"):
        shielded(name="update")(Db.update)
    assert 3 == one(3)


def test_a_bare_tool_and_a_shields_own_are_refused(firewall):
    """A Shield cannot have a function with the name of a shared tool."""
    shielded(update)

    with pytest.raises(PolicyError, match="two functions"):
        firewall.register(Db.update)


def test_a_bare_tool_that_comes_later_is_refused_at_the_next_session(firewall):
    """The Shield compares its tools when it opens the next session."""
    firewall.register(Db.update)
    firewall.session()
    shielded(update)

    with pytest.raises(PolicyError, match="two functions"):
        firewall.session()


def test_one_may_replace_another(firewall):
    """`replace=True` replaces a function, by decorator and by `register`."""
    firewall.register(update)
    firewall.register(Db.update, replace=True)
    assert 3 == firewall.dispatch("update", {"amount": 3})

    shielded(firewall, replace=True)(update)
    assert "a" == firewall.dispatch("update", {"note": "a"})


def test_a_bare_tool_may_be_replaced(firewall):
    """A Shield then runs the second function."""
    shielded(update)
    assert "a" == firewall.dispatch("update", {"note": "a"})

    shielded(name="update", replace=True)(Db.update)
    assert 3 == firewall.dispatch("update", {"amount": 3})


def test_a_shields_own_may_replace_a_bare_one(firewall):
    """It replaces the shared tool only in that Shield."""
    shielded(update)
    firewall.register(Db.update, replace=True)

    with firewall.session():
        assert 3 == firewall.dispatch("update", {"amount": 3})
    assert "a" == Shield(shield.configure(), hooks=None).dispatch("update", {"note": "a"})


SOURCE = """
from abs_shield import shielded

@shielded({firewall})
def lookup({name}: int) -> int:
    "Look something up."
    return {name}
"""


@pytest.mark.parametrize("bare", [True, False])
def test_a_reloaded_module_replaces_its_own_tools(firewall, bare):
    """A function with the same module and qualified name is a reload, as in a notebook."""
    module = ModuleType("notebook")
    module.firewall = firewall
    for name in ("a", "b"):
        source = SOURCE.format(firewall="" if bare else "firewall", name=name)
        exec(compile(source, "notebook.py", "exec"), vars(module))
        with firewall.session():
            assert 3 == firewall.dispatch("lookup", {name: 3})


def test_the_same_function_may_be_declared_again(firewall):
    """A function may be decorated and registered several times."""
    wrap = shielded(firewall)(update)
    firewall.register(wrap)
    firewall.register(update)

    @functools.wraps(update)
    def timed(note: str) -> str:
        return update(note)

    firewall.register(timed)
    assert "a" == firewall.dispatch("update", {"note": "a"})


def test_methods_of_two_objects_are_refused(firewall):
    """The error says how to bind a method of each tenant's client."""
    one = Db("tenant-A")
    firewall.register(one.whoami)
    firewall.register(one.whoami)

    with pytest.raises(PolicyError, match=r"Db\.whoami.* `firewall\.session\(functions="):
        firewall.register(Db("tenant-B").whoami)
    assert "tenant-A" == firewall.dispatch("whoami", {})


def test_partials_of_two_objects_are_refused(firewall):
    """Partials with different clients differ; those with equal plain values do not."""

    def whoami(db: Db, greeting: str = "") -> str:
        return greeting + db.tenant

    one, two = Db("A"), Db("B")
    firewall.register(functools.partial(whoami, one, greeting="I am "))
    firewall.register(functools.partial(whoami, one, greeting="I am "))

    with pytest.raises(PolicyError, match="another object"):
        firewall.register(functools.partial(whoami, two, greeting="I am "))


def test_callable_objects_and_class_methods_are_distinguished(firewall):
    """Two objects of one class, and two classes that share a method."""

    class Greets:
        __name__ = "greets"

        def __call__(self) -> str:
            return "hello"

    firewall.register(Greets())
    firewall.register(Db.kind)
    firewall.register(Db.kind)

    with pytest.raises(PolicyError, match="another object"):
        firewall.register(Greets())
    with pytest.raises(PolicyError, match="another object"):
        firewall.register(Other.kind)


def test_lambdas_are_distinguished_by_their_lines(firewall):
    """All lambdas have the same name."""
    first = lambda: 1  # noqa: E731
    shielded(firewall, name="one")(first)

    with pytest.raises(PolicyError, match="is two functions"):
        shielded(firewall, name="one")(lambda: 2)


def kind() -> str:
    """Say which client this is."""
    return "none"


def tool_for(db: Db | str):
    """Return a factory's function with a client or a text in its closure."""

    def whoami() -> str:
        return str(getattr(db, "tenant", db))

    return whoami


def wrap(function):
    """Wrap a function without `functools.wraps`."""

    def inner() -> str:
        return function()

    return inner


def calls(function, db: Db):
    """Wrap a function with `functools.wraps` and a client in the closure."""

    @functools.wraps(function)
    def inner() -> str:
        return db.tenant

    return inner


def defaulted(db: Db):
    """Return a factory's function with a client as its default."""

    def whoami(*, own: Annotated[object, Injected()] = db) -> str:
        return own.tenant

    return whoami


def local(db: Db):
    """Return a factory's class with a client in its closure."""

    class Client:
        def __init__(self) -> None:
            self.db = db

        def __call__(self) -> str:
            return self.db.tenant

    return Client()


FACTORIES = [
    tool_for,
    lambda db: wrap(tool_for(db)),
    lambda db: calls(kind, db),
    lambda db: functools.wraps(kind)(tool_for(db)),
    defaulted,
    local,
]


@pytest.mark.parametrize("factory", FACTORIES)
@pytest.mark.parametrize("bare", [True, False])
def test_a_factorys_second_function_runs_where_it_is_called(firewall, factory, bare):
    """Both have the same name and code, so a dispatch by name would be ambiguous."""
    declare = functools.partial(shielded(None if bare else firewall, name="whoami"))
    one, two, three = (declare(factory(Db(tenant))) for tenant in "ABC")

    assert ("A", "B", "C") == (one(), two(), three())
    with pytest.raises(PolicyError, match=r"`firewall\.session\(functions="):
        firewall.dispatch("whoami", {})
    with firewall.session(functions={"whoami": two}):
        assert "B" == firewall.dispatch("whoami", {})
    with pytest.raises(PolicyError, match="two functions"):
        declare(update)


@pytest.mark.parametrize("bare", [True, False])
@pytest.mark.parametrize("order", ["ABB", "ABA", "ABCC", "AABA"])
def test_an_ambiguous_name_stays_ambiguous(firewall, bare, order):
    """Decorating the same function again does not make the name unambiguous."""
    clients = {tenant: Db(tenant) for tenant in "ABC"}
    functions = [
        shielded(None if bare else firewall, name="whoami")(tool_for(clients[tenant]))
        for tenant in order
    ]

    assert order == "".join(function() for function in functions)
    with pytest.raises(PolicyError, match="several functions of one factory"):
        firewall.dispatch("whoami", {})


def test_a_factorys_bare_function_beside_a_registered_one(firewall):
    """A dispatch by name runs the registered one, and sessions can be opened."""
    firewall.register(bind(tool_for(Db("A")), name="whoami"))
    other = shielded(name="whoami")(tool_for(Db("B")))

    with firewall.session():
        assert ("B", "A") == (other(), firewall.dispatch("whoami", {}))


def test_an_ambiguous_name_hides_no_conflict(firewall):
    """Another function with the name is still rejected."""
    for tenant in "AB":
        shielded(firewall, name="whoami")(tool_for(Db(tenant)))
    shielded(name="whoami")(update)

    with pytest.raises(PolicyError, match="is two functions"):
        firewall.session()


@pytest.mark.parametrize("factory", FACTORIES)
def test_a_factorys_second_function_is_not_registered(firewall, factory):
    """A registered function must be callable by its name."""
    firewall.register(bind(factory(Db("A")), name="whoami"))

    with pytest.raises(PolicyError, match=r"`firewall\.session\(functions="):
        firewall.register(bind(factory(Db("B")), name="whoami"))
    assert "A" == firewall.dispatch("whoami", {})


def test_a_factorys_function_may_be_made_again(firewall):
    """The closures may have equal values, the same object, or equal functions."""

    def recursive(text: str):
        def helper() -> str:
            return text

        def whoami(depth: int = 1) -> str:
            return whoami(depth - 1) if depth else helper()

        return whoami

    db = Db("A")
    for client in (db, db, "A", "A"):
        firewall.register(tool_for(client), replace=client == "A")
    firewall.register(tool_for("A"))
    for _ in range(2):
        shielded(firewall, name="recursive")(recursive("A"))
        shielded(firewall, name="wrapped")(wrap(recursive("A")))

    with pytest.raises(PolicyError, match="defined with other closure values"):
        firewall.register(bind(recursive("B"), name="recursive"))
    assert "A" == firewall.dispatch("whoami", {})
    firewall.register(tool_for(Db("B")), replace=True)
    assert "B" == firewall.dispatch("whoami", {})


def test_two_functions_of_one_decorator_are_refused(firewall):
    """Without `functools.wraps`, both functions have the name of the wrapper."""
    one, two = wrap(Db("A").whoami), wrap(Db.kind)
    firewall.register(bind(one, name="whoami"))

    with pytest.raises(PolicyError, match="defined with other closure values"):
        firewall.register(bind(two, name="whoami"))


def test_two_lambdas_of_one_line_are_refused(firewall):
    """Two different lambdas on one line are two functions."""
    one, two = lambda: 1, lambda: 2
    shielded(firewall, name="one")(one)
    shielded(firewall, name="one")(one)

    with pytest.raises(PolicyError, match="is two functions"):
        shielded(firewall, name="one")(two)


def test_a_reloaded_function_under_a_decorator_is_the_same(firewall):
    """Only the module of the function was reloaded, not that of the decorator."""
    for number in (1, 2):
        module = ModuleType("notebook")
        source = f"def lookup() -> str:\n    return '{number}'\n"
        exec(compile(source, "notebook.py", "exec"), vars(module))
        shielded(firewall, name="lookup")(wrap(module.lookup))
        assert str(number) == firewall.dispatch("lookup", {})


def test_a_reloaded_function_may_have_a_new_wrapper(firewall):
    """A library's decorator may create a new object each time."""
    for number in (1, 2):
        module = ModuleType("notebook")
        source = f"def lookup() -> str:\n    return '{number}'\n"
        exec(compile(source, "notebook.py", "exec"), vars(module))
        shielded(firewall, name="lookup")(calls(module.lookup, Db(f"A{number}")))
        assert f"A{number}" == firewall.dispatch("lookup", {})


def test_descriptions_refine_as_before(firewall):
    """Any number of descriptions may be registered; the function still runs."""
    firewall.register(update)
    for hint in ("one", "two"):
        firewall.register(Tool(name="update", description=hint))

    assert "two" == firewall.registry["update"].plan.tool.description
    assert "a" == firewall.dispatch("update", {"note": "a"})


def test_a_description_before_a_bare_tool_does_not_hide_its_function(firewall):
    """A framework may describe a tool before its first call."""
    firewall.register(Tool(name="update", description="Update it."))
    shielded(update)

    assert "a" == firewall.dispatch("update", {"note": "a"})


def test_a_policys_tool_refines_a_bare_one():
    """The policy's declaration is merged with the function's signature."""
    guard = Shield(
        shield.configure(mode="strict", tools=[Tool(name="update", destructive=True)]), hooks=None
    )
    shielded(update)

    assert "a" == guard.dispatch("update", {"note": "a"})
    declared = guard.registry["update"].plan.tool
    assert (True, ["note"]) == (declared.destructive, [*declared.parameters["properties"]])


def declare_pay(firewall):
    """Declare a function whose target must be seen."""

    @shielded(firewall)
    def pay(to: Annotated[str, Target(must_be_seen=True)]) -> str:
        return f"paid {to}"

    return pay


LOOSER = [({"allow": ("*",)}, '`allow` admits "*"'), ({"mode": "audit"}, "`mode` is audit")]


@pytest.mark.parametrize(("words", "difference"), LOOSER)
def test_a_second_declaration_cannot_be_looser(firewall, words, difference):
    """The error names the loosened field."""
    pay = declare_pay(firewall)
    parameters = {"properties": {"to": {"type": "string"}}}

    with pytest.raises(PolicyError) as refused:
        firewall.register(Tool(name="pay", parameters=parameters, **words))

    assert difference in str(refused.value)
    with firewall.session() as session:
        session.user("Pay Bob 5.")
        with pytest.raises(CallBlocked):
            pay("Mallory")


@pytest.mark.parametrize(("words", "difference"), LOOSER)
def test_a_declaration_before_the_function_cannot_be_looser(firewall, words, difference):
    """The order of the declarations does not matter."""
    firewall.register(Tool(name="pay", **words))

    with pytest.raises(PolicyError) as refused:
        declare_pay(firewall)

    assert difference in str(refused.value)


@pytest.mark.parametrize(("words", "difference"), LOOSER)
def test_a_declaration_cannot_be_looser_than_the_policy(words, difference):
    """The policy's declaration is compared as well."""
    parameters = {"properties": {"to": {"type": "string"}}}
    tool = Tool(name="pay", parameters=parameters, targets={"to": Target(must_be_seen=True)})
    firewall = Shield(shield.configure(mode="strict", tools=[tool]), hooks=None)

    with pytest.raises(PolicyError) as refused:
        firewall.register(Tool(name="pay", **words))

    assert difference in str(refused.value)


def test_a_second_declaration_may_be_equal_or_stricter(firewall):
    """A stricter or equal declaration is accepted."""
    first = Tool(name="pay", allow=("acct_test_*",), mode="audit")
    firewall.register(first)
    firewall.register(Tool(name="pay", allow=("acct_test_*",), destructive=True))

    firewall.register(Tool(name="pay", mode="audit"))
    tool = firewall.registry["pay"].plan.tool
    assert (("acct_test_*",), "audit", True) == (tool.allow, tool.mode, tool.destructive)

    firewall.register(Tool(name="pay", allow=("*",)), replace=True)
    assert ("*",) == firewall.registry["pay"].plan.tool.allow
