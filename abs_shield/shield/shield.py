"""The process-wide, thread-safe runtime of one policy."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from os import PathLike, fspath
from threading import Lock
from typing import TYPE_CHECKING, Any, Unpack

from abs_shield.core.fork_safety import renewed
from abs_shield.errors import ShieldError
from abs_shield.policy import Policy, Tool
from abs_shield.policy.configuration import PolicyFields
from abs_shield.session import Session, Sessions, current_session
from abs_shield.session.session_record import record_of
from abs_shield.shield.answer_methods import AnswerMethods
from abs_shield.shield.approvals import Approver
from abs_shield.shield.call_inputs import require_attribute
from abs_shield.shield.callable_tools import change_tools
from abs_shield.shield.dispatch_methods import DispatchMethods
from abs_shield.shield.judgement_methods import JudgementMethods
from abs_shield.shield.lifecycle import Lifecycle
from abs_shield.shield.session_tools import Functions
from abs_shield.shield.shield_arguments import build_hooks, resolve_policy
from abs_shield.shield.tool_inputs import declared_tool, described_tool
from abs_shield.shield.tool_registry import Registry, available
from abs_shield.stores import MemoryStore, Store
from abs_shield.telemetry import Hook
from abs_shield.text.safe_display import escaped, shown

if TYPE_CHECKING:
    from abs_shield.plan import ToolPlan
    from abs_shield.plan.proof import Proof
    from abs_shield.shield.run_recorder import Recorder, Recording
    from abs_shield.shield.tool_schemas import Provider
    from abs_shield.verification import VerificationEngine


class Shield(DispatchMethods, JudgementMethods, AnswerMethods):
    """
    The runtime of one policy. Share it between threads, tasks and the sessions of all tenants.

    Args:
        policy: The policy; see `configure`. ``Shield(mode="strict", ...)`` is short for
            ``Shield(configure(mode="strict", ...))``.
        store: The decision log; None for one in memory.
        sessions: The sessions by id, which several Shields may share; None for new ones.
        hooks: Callables of one `Decision`, besides OpenTelemetry and structlog; None to call
            none at all.
        approver: A callable that receives the Decision about a SUSPICIOUS call and returns
            whether it may run, with ``on_suspicious="approve"``.
        record: A file to which every session is appended when it is left, or a `Recording`,
            which adds a redaction.
        declared: Keywords of `configure`, instead of a policy.

    Raises:
        PolicyError: The policy, a keyword or another argument is invalid.

    >>> from abs_shield.policy import configure
    >>> firewall = Shield(configure(mode="strict"))
    >>> firewall.check_call({"name": "refund", "arguments": {}}).verdict
    <Verdict.CLEAN: 'CLEAN'>
    """

    def __init__(
        self,
        policy: Policy | None = None,
        *,
        store: Store | None = None,
        sessions: Sessions | None = None,
        hooks: Iterable[Hook] | None = (),
        approver: Approver | None = None,
        record: str | PathLike[str] | Recording | None = None,
        **declared: Unpack[PolicyFields],
    ) -> None:
        own = [name for name in Shield.__init__.__kwdefaults__ or () if name != "policy"]
        policy = resolve_policy(policy, declared, own=own)
        require_attribute(store, "store", "append", _store_hint(store))
        require_attribute(sessions, "sessions", "get", "`Sessions()`")
        require_attribute(approver, "approver", "__call__", "a callable of one Decision")
        self.policy = policy
        self.store = MemoryStore() if store is None else store
        self.sessions = Sessions.within(policy.limits) if sessions is None else sessions
        self.registry = Registry(policy)
        self._otel, all_hooks = build_hooks(hooks, self.store, self.registry)
        self.lifecycle = Lifecycle(
            policy, self.registry, store=self.store, hooks=all_hooks, approver=approver
        )
        self._recorder: Recorder | None = None
        if record is not None:
            from abs_shield.shield.run_recorder import Recorder, Recording  # few Shields record

            recording = record if isinstance(record, Recording) else Recording(path=record)
            self._recorder = Recorder(recording, self.registry)
            self.lifecycle.reports.quotes, self.lifecycle.reports.redact = True, recording.redact

    @classmethod
    def of(cls, policy: Policy) -> Shield:
        """
        Return the Shield that all tools decorated with *policy* share.

        Args:
            policy: The policy; compared by identity: an equal policy has another Shield.
        """
        # Shared, so that the tools have the same sessions, approvals and retries.
        with _SHIELDS_LOCK:
            firewall = _SHIELDS.get(id(policy))
            # The id of a deleted policy may be reused.
            if firewall is None or firewall.policy is not policy:
                firewall = _SHIELDS[id(policy)] = cls(policy)
            return firewall

    @property
    def declared_policy(self) -> Policy:
        """
        The policy with the tools that are registered so far, and with the marks of functions.

        It judges recorded calls as this Shield judges them.
        """
        return self.policy.model_copy(update={"tools": tuple(self.registry.tools().values())})

    # Declare tools and sessions ------------------------------------------------------------------

    def register(
        self,
        tool: Tool | Callable[..., Any] | Mapping[str, Any],
        *,
        tolerant: bool = False,
        replace: bool = False,
    ) -> ToolPlan:
        """
        Register a tool; the policy's declarations of it take precedence.

        A description never loosens the declarations of a function or a `Tool`: the schemas and
        the marks of both apply.

        Args:
            tool: A `Tool`, a function, or a tool description of OpenAI, Anthropic, Gemini, Bedrock
                or MCP.
            tolerant: Report an invalid schema as an error of each check, instead of raising.
            replace: Replace all earlier declarations of the name by this function or `Tool`.

        Returns:
            The compiled tool.

        Raises:
            PolicyError: The tool, its schema or a rule about it is invalid, or its name belongs
                to another function or to a `Tool` with other parameters.
        """
        host_tool = declared_tool(tool)
        if host_tool is None:
            return self.registry.describe(described_tool(tool), tolerant=tolerant).plan
        return self.registry.add(host_tool, tolerant=tolerant, replace=replace).plan

    def session(
        self,
        id: str | None = None,
        *,
        tools: Iterable[str] | None = None,
        messages: Iterable[Any] = (),
        agent: str | None = None,
        model: str | None = None,
        parent: Session | None = None,
        functions: Functions | None = None,
        create: bool = True,
    ) -> Session:
        """
        Open a session; with an *id*, continue the session of that id.

        Args:
            id: The session's id; None for a new one.
            tools: Names of the tools that this run may call; None for all, or to leave them
                unchanged. A sub-agent may call at most its parent's tools and its own functions.
            messages: A transcript to resume from, in OpenAI's, Anthropic's, Gemini's or
                Bedrock's shape.
            agent: Name of the agent; None to leave it unchanged.
            model: Name of the model that proposes the calls, as in ``report --by model``; None to
                leave it unchanged, or in a new session to use the parent's. Framework adapters
                set it themselves.
            parent: The session of the agent that started this one.
            functions: Functions of this session and its sub-agents only, by tool name or as a
                list, e.g. the bound methods of one request's client. They take precedence over
                registered tools of the same names. None to leave them unchanged.
            create: Whether to create a session if this process does not know the id.

        Raises:
            ShieldError: This process does not know the id, and *create* is False.
            UnreadableMessage: One of *messages* has an unknown shape.
            PolicyError: One of *functions* cannot be called with a model's arguments alone, a
                name in *tools* is misspelt, or two functions of this Shield have the same name.
        """
        # Decorated functions of other modules may have been added since the last session.
        self.registry.require_unambiguous()

        if id is None and not create:
            raise ShieldError("`create=False` needs the id of a session")

        def make() -> Session:
            if not create:
                raise ShieldError(
                    f"this process has no session {shown(id)}; it was dropped, or is of another"
                    " process: leave out `create=False`, and pass its transcript as `messages=`"
                )
            granted = None if parent is None else record_of(parent).grant
            created = Session(
                id, tools=granted, agent=agent, parent=parent, limits=self.policy.limits, owner=self
            )
            created.model = None if parent is None else parent.model
            return created

        session = make() if id is None else self.sessions.get(id, make)
        change_tools(session, self.registry, tools=tools, functions=functions)
        if agent is not None:
            session.handoff(agent)
        if model is not None:
            session.model = model
        if self._recorder is not None:
            self._recorder.follow(session)
        # Last, because messages are read with the session's tools and settings.
        session.add(messages)
        return session

    def tool_schemas(
        self, provider: Provider, *, session: Session | None = None
    ) -> list[dict[str, Any]]:
        """
        Return the tools in the shape of a provider's API, to offer them to the model.

        Args:
            provider: ``"openai"`` (Chat Completions), ``"responses"``, ``"anthropic"``,
                ``"gemini"``, ``"bedrock"`` (the ``tools`` of its ``toolConfig``) or ``"mcp"``.
            session: The session, whose tools are returned; None for the current one.

        Returns:
            A new list. Keywords that a provider's strict mode does not support, such as the
            bounds of decimals, are moved to descriptions; calls are judged by the full schema.

        Raises:
            PolicyError: The provider is unknown, or two functions have the same name.
        """
        from abs_shield.shield.tool_schemas import tool_schemas  # few hosts need it

        self.registry.require_unambiguous()
        current = self._session(session)
        tools = available(self.registry.of(current), current.tools)
        return tool_schemas(provider, (entry.plan.tool for entry in tools.values()))

    def close(self, timeout_s: float = 5.0) -> bool:
        """
        Record the sessions that are still open, and wait until the store has written everything.

        Call it once before the program ends; the Shield can still be used afterwards.

        Args:
            timeout_s: How long to wait for the store, in seconds.

        Returns:
            Whether everything was written: False after a timeout, if the store has lost a
            decision, or if a session could not be recorded. Decisions that a `MemoryStore` evicted
            do not count as lost.
        """
        recorded = self._recorder is None or self._recorder.close()
        flushed = self.store.flush(timeout_s)
        status = (
            None if isinstance(self.store, MemoryStore) else getattr(self.store, "status", None)
        )
        return recorded and flushed and not (status and status.dropped)

    def approve(self, decision_id: str) -> None:
        """
        Approve the call of a blocked decision: it may run once, with equal arguments.

        Args:
            decision_id: The id of the decision.

        Raises:
            ShieldError: No such decision waits for an approval.
        """
        self.lifecycle.approvals.grant(decision_id)

    def prove(self, *, at: float | None = None) -> Proof:
        """
        Check the policy against the registered tools, and return all errors.

        Args:
            at: The time to check for, in seconds since the epoch; None for now.

        Returns:
            A `Proof`, which is true if it has no errors; ``.require()`` raises if it has any.
        """
        # Imported lazily, because the checks are slow to import.
        from abs_shield.plan.proof import prove

        return prove(
            self.policy, self.registry.tools(), at=at, names=self.registry.names_of_models()
        )

    @property
    def verification(self) -> VerificationEngine:
        """
        The engine that judges results, for labels, calibration and saving its state.

        Raises:
            ShieldError: The policy has ``verification=False``.
        """
        engine = self.lifecycle.verifier.engine
        if engine is None:
            raise ShieldError("the policy has `verification=False`: results are not judged")
        return engine

    # Internal ------------------------------------------------------------------------------------

    def _session(self, session: Session | None) -> Session:
        # The fast path, without the checks below.
        if type(session) is Session:
            return session
        current = current_session() if session is None else session
        if current is not None and not isinstance(current, Session):
            raise ShieldError(f"`session` is {shown(session)}; open one with `firewall.session()`")
        if current is None:
            current = Session(limits=self.policy.limits, owner=self)
            record_of(current).ephemeral = True
        return current


_SHIELDS: dict[int, Shield] = {}
_SHIELDS_LOCK = renewed(Lock())


def _store_hint(store: object) -> str:
    if isinstance(store, (str, PathLike)):
        name = escaped(str(fspath(store)))
        return f'`open_store("{name}")`' if "://" in name else f'`SqliteStore("{name}")`'
    return "a store, such as `MemoryStore()`"
