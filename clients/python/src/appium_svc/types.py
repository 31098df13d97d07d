"""Types of the service's responses. Times are ISO 8601 UTC, durations are in seconds, sizes in bytes."""

from __future__ import annotations

from typing import Any, Literal, TypedDict

Audience = Literal["svc-rest", "svc-mcp"]


class UserRef(TypedDict):
    id: str
    email: str


class TeamRef(TypedDict):
    id: str
    name: str


class Via(TypedDict):
    rule: str
    ruleName: str
    subject: str


class _Me(TypedDict):
    id: str
    email: str
    name: str
    role: Literal["Member", "Admin", "Super admin"]
    status: Literal["Active", "Inactive"]
    accessKey: str
    scopes: list[str]
    teams: list[TeamRef]
    kind: Literal["sign-in", "key", "bearer", "none"]
    expiresAt: str | None
    authDisabled: bool
    passwordChangeRequired: bool
    passwordIsTemporary: bool
    builtInPassword: bool


class Me(_Me, total=False):
    via: Via


class Features(TypedDict):
    commandAuth: bool
    sessionTokenGate: bool
    bearerAuth: bool
    streamTickets: bool
    mcpScopedTokens: bool
    liveEvents: bool
    #: Whether the lab serves Appium Inspector.
    inspector: bool
    scim: bool


class WebDriverFacts(TypedDict):
    basePath: str
    #: Capabilities for a virtual phone, or ``None`` if the lab has none.
    example: dict[str, Any] | None


class QueueLength(TypedDict):
    waiting: int


class ServerCapabilities(TypedDict):
    version: str
    features: Features
    queue: QueueLength
    webDriver: WebDriverFacts


class _IssuedBearer(TypedDict):
    token: str
    expiresIn: int
    audience: str
    scopes: list[str]


class IssuedBearer(_IssuedBearer, total=False):
    sessionToken: str


class ApiToken(TypedDict):
    id: str
    name: str
    scopes: list[str]
    createdAt: str
    lastUsedAt: str | None
    unusedSince: str | None
    expiresAt: str | None
    expired: bool


class NewToken(TypedDict):
    id: str
    name: str
    scopes: list[str]
    token: str
    expiresAt: str | None


class DeviceLease(TypedDict):
    owner: UserRef
    expiresAt: str


class DeviceSession(TypedDict):
    id: str
    name: str | None
    owner: UserRef | None
    startedAt: str


class OutOfService(TypedDict):
    reason: str
    #: Admin who put the phone out of service, or ``None`` if the lab did.
    by: UserRef | None
    since: str
    until: str | None


class DeviceHealth(TypedDict):
    #: Charge of the battery in percent.
    battery: float | None
    #: Temperature of the battery in degrees Celsius.
    temperature: float | None
    #: Free storage in bytes.
    storageFree: float | None
    checkedAt: str


class DeviceStart(TypedDict):
    owner: UserRef | None
    since: str


class _Device(TypedDict):
    udid: str
    name: str
    platform: str
    osVersion: str
    team: TeamRef | None
    node: str | None
    status: Literal["free", "busy", "away"]
    tags: list[str]
    note: str | None
    #: Why no session and no lease takes the phone, or ``None`` if it is in service.
    outOfService: OutOfService | None
    model: str | None
    manufacturer: str | None
    apiLevel: int | None
    kind: Literal["real", "emulator", "virtual"] | None
    avd: str | None
    #: Time since which the phone has been free, or ``None`` if it is not free.
    idleSince: str | None
    #: What the last probe of the phone read, or ``None`` if it was not probed.
    health: DeviceHealth | None
    #: Part of the sessions of the week that ended with a failure category or that the driver refused, or ``None`` if
    #: there were none.
    failureRate: float | None


class Device(_Device, total=False):
    lease: DeviceLease
    session: DeviceSession
    starting: DeviceStart
    problem: Literal["not trusted", "developer mode off", "no tunnel"]
    #: Present if the holder of the lease can tap and type without a session.
    directInput: bool


class StoredProbe(TypedDict):
    at: str
    battery: float | None
    temperature: float | None
    storageFree: float | None


class DayOfSessions(TypedDict):
    day: str
    ended: int
    failed: int
    refused: int


class DeviceHistory(TypedDict):
    probes: list[StoredProbe]
    days: list[DayOfSessions]
    failureRate: float | None


class PlannedRemoval(TypedDict):
    name: str
    why: str


class CleaningPlan(TypedDict):
    #: When the present or last holder began, or ``None`` if the phone is clean.
    since: str | None
    kept: bool
    items: list[PlannedRemoval]


class PluggedPhone(TypedDict):
    udid: str
    name: str | None
    osVersion: str | None
    state: Literal["ready", "unauthorized", "offline", "no permissions", "other"]


class FoundPhones(TypedDict):
    answers: bool
    phones: list[PluggedPhone]


class DeviceSource(TypedDict):
    name: Literal["adb", "ios"]
    address: str
    on: bool
    variable: str
    fixed: bool
    #: ``None`` if the phones are switched off, because the host is then not searched for phones.
    found: FoundPhones | None


class Node(TypedDict):
    name: str
    url: str
    version: str
    status: Literal["online", "away"]
    devices: int
    sessions: int
    registeredAt: str
    lastSeenAt: str


class NodeLogLine(TypedDict):
    at: str
    level: Literal["info", "warn", "error"]
    message: str


class NodeLog(TypedDict):
    #: Newest first.
    items: list[NodeLogLine]


class NewLease(TypedDict):
    leaseId: str
    leaseToken: str
    udid: str
    expiresAt: str


class HeldLease(TypedDict):
    leaseId: str
    udid: str
    owner: UserRef
    expiresAt: str


class WantedPhone(TypedDict):
    udid: str | None
    platform: str | None
    tags: list[str]


class WaitingRequest(TypedDict):
    kind: Literal["session", "lease"]
    place: int
    since: str
    until: str
    own: bool
    owner: UserRef | None
    wants: WantedPhone
    #: Why the request gets no phone although none that fits is in use, such as a limit of its account.
    because: str | None


class Queue(TypedDict):
    waiting: int
    items: list[WaitingRequest]


class AgentLimits(TypedDict, total=False):
    sessions: int
    minutes: int


class LimitsOfAgent(TypedDict):
    sessions: int | None
    minutes: int | None


class SessionOfAgent(TypedDict):
    id: str
    udid: str | None
    startedAt: str


class Agent(TypedDict):
    id: str
    owner: UserRef
    scopes: list[str]
    lastAt: str | None
    lastTool: str | None
    limits: LimitsOfAgent
    minutesToday: int
    expiresAt: str
    sessions: list[SessionOfAgent]


class PhoneUse(TypedDict):
    udid: str
    name: str
    team: TeamRef | None
    presentSeconds: int
    busySeconds: int
    leasedSeconds: int
    waitedSeconds: int


class TeamUse(TypedDict):
    team: TeamRef | None
    phones: int
    presentSeconds: int
    busySeconds: int
    leasedSeconds: int
    waitedSeconds: int


#: Use of the last 7 days. ``teams`` is None unless the caller is an Admin.
LabUsage = TypedDict(
    "LabUsage",
    {"from": str, "to": str, "phones": list[PhoneUse], "teams": "list[TeamUse] | None"},
)


class SessionDevice(TypedDict):
    udid: str
    name: str
    platform: str


class SessionClean(TypedDict):
    state: Literal["pending", "cleaned", "kept", "failed"]
    removed: list[str]
    at: str | None


class Session(TypedDict):
    id: str
    name: str | None
    status: Literal["running", "ended", "passed", "failed"]
    owner: UserRef | None
    device: SessionDevice | None
    node: str | None
    startedAt: str
    endedAt: str | None
    failureCategory: str | None
    failureReason: str | None
    tags: list[str]
    healingTiers: list[int] | None
    startedBy: str | None
    startedByUrl: str | None
    capabilities: dict[str, Any]
    #: Cleaning of the phone after the session, or ``None`` if there was none.
    clean: SessionClean | None


class CommandError(TypedDict):
    code: str
    message: str


class _LogRow(TypedDict):
    seq: int
    at: str
    method: str
    path: str
    status: int
    durationMs: int
    body: Any
    response: Any
    name: str
    summary: str


class LogRow(_LogRow, total=False):
    error: CommandError


class LibraryApp(TypedDict):
    id: str
    name: str
    size: int
    sha256: str
    createdAt: str


class AppSession(TypedDict):
    id: str
    name: str | None
    startedAt: str
    owner: UserRef | None


class AppUse(TypedDict):
    id: str
    uploadedBy: UserRef | None
    sessions: list[AppSession]


class Ticket(TypedDict):
    ticket: str
    expiresIn: int


class ShareLimits(TypedDict):
    #: Sessions at the same time, or ``None`` for no limit.
    sessions: int | None
    leases: int | None
    #: Minutes of sessions and leases on a day (UTC).
    minutes: int | None


class ShareUse(TypedDict):
    sessions: int
    leases: int
    minutes: int


class Share(TypedDict):
    kind: Literal["account", "team"]
    id: str
    name: str
    limits: ShareLimits
    used: ShareUse


class KindUse(TypedDict):
    kind: str
    phones: int
    savedSeconds: int


class PersonUse(TypedDict):
    id: str
    email: str
    sessionSeconds: int
    leaseSeconds: int


#: Use of a month. ``people`` is None unless the setting ``usageByPerson`` is ``on``.
UsageOfMonth = TypedDict(
    "UsageOfMonth",
    {
        "from": str,
        "to": str,
        "phones": list[PhoneUse],
        "teams": list[TeamUse],
        "kinds": list[KindUse],
        "people": "list[PersonUse] | None",
    },
)
