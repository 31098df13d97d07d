// The lab: which phones exist, who uses them, and which sessions run on them.
//
// `sources/` finds phones, `matching/` chooses one for capabilities, `queue/` waits for one, `leases/` and `control/` reserve
// and use one without a session, `care/` checks and cleans them. `capabilities/` reads and removes credentials, and
// `decided/` is what the lab sets in capabilities. `visibility/` decides who sees phones, sessions and events. The files
// beside the folders start, follow and end sessions. `command-log/`, `events/` and `use/` record what happens.
//
// Not here: the check of commands (webdriver-gate), pictures and logs of phones (previews), nodes (nodes), webhooks
// (webhooks), and what credentials and roles allow (auth-core).

export type { Admission } from './admission.ts';
export { AgentDirectory } from './agents/agent-directory.ts';
export { NoMatchingDevice } from './allocate-device.ts';
export { describeApp } from './apps/handlers.ts';
export type { AppFiles, AppStore, LibraryApp, OpenFile, ReceivedFile } from './apps/library-app.ts';
export type { AttachAddress, AttachStore, AttachUse } from './attach/attach-address.ts';
export { AttachAddresses, type AttachEnding, type Attached } from './attach/attach-addresses.ts';
export { REDACTED } from './capabilities/redacted.ts';
export {
  NO_RECORDING_OPTIONS,
  type RecordingOptions,
  type SessionOptions,
} from './capabilities/session-options.ts';
export {
  readCredentials,
  type SessionCredentials,
  stripCredentials,
  type TakenCredentials,
} from './capabilities/take-credentials.ts';
export type { CareAtNodes, OutAtNode } from './care/care-at-nodes.ts';
export type { CareStore, OutOfServiceRow } from './care/care-store.ts';
export type { CleaningPreview } from './care/cleaning/cleaning-preview.ts';
export type { CleaningRow, CleaningStore, SessionClean } from './care/cleaning/cleaning-store.ts';
export { PhoneCleaner } from './care/cleaning/phone-cleaner.ts';
export { accountAtHub, HubHolders, hubHolder, type Lent } from './care/cleaning/phone-holders.ts';
export type { DayOfSessions, HealthRow, HealthStore } from './care/health-history.ts';
export { HealthProbes, type ReadHealth } from './care/health-probes.ts';
export { OutOfService } from './care/out-of-service.ts';
export { startFault } from './care/start-fault.ts';
export { CommandLog } from './command-log/command-log.ts';
export { APPIUM_COMMANDS } from './command-log/command-names.ts';
export {
  type ChunkHead,
  type CommandError,
  type CommandLogStore,
  LOG_BOUNDS,
  type LogChunk,
  type LoggedCommand,
  type ObservedCommand,
  TooLarge,
} from './command-log/entry.ts';
export { DeviceControl } from './control/device-control.ts';
export { leaseInTurn } from './control/lease-handlers.ts';
export { CreateRefused } from './create-refused.ts';
export { type Device, type DeviceFacts, NO_FACTS, NO_STREAMS, type SourceDevice } from './device.ts';
export { describeDevice } from './device-handlers.ts';
export { DeviceLab } from './device-lab.ts';
export type { DeviceSetting, DeviceSettingStore } from './device-settings.ts';
export type { Uncleaned } from './devices.ts';
export {
  type DriverSession,
  type DriverSessionChange,
  type DriverSessionFilter,
  type DriverSessionStatus,
  type DriverSessionStore,
  type FailureCategory,
  SEARCHED_SESSIONS,
  type SessionDevice,
} from './driver-session.ts';
export { DriverSessions, type SessionEnd } from './driver-sessions.ts';
export { endOfCause } from './end-cause.ts';
export { tokenExpiring } from './events/account-events.ts';
export { EventConnections } from './events/event-connections.ts';
export type { EventLogStore, LoggedEvent } from './events/event-log.ts';
export { phoneHealthy, phoneUnhealthy } from './events/health-events.ts';
export { type LabEvent, LabEvents, type NewLabEvent } from './events/lab-events.ts';
export { executeMethodOf, runExecuteMethod, UnknownExecuteMethod } from './execute-methods.ts';
export { HeldLeases } from './leases/held-leases.ts';
export type { Lease, LeaseAgent, LeasedTime, LeaseStore } from './leases/lease.ts';
export { UnusableCondition } from './matching/device-object.ts';
export { type Lab, openLab } from './open-lab.ts';
export { openPhones, type Phones } from './open-phones.ts';
export { ClientLeft, NO_PATIENCE, type Patience, RightLost } from './queue/phone-request.ts';
export { openRefusals, type Refusals } from './refusals/open.ts';
export { RecentRefusals, type RefusalRecord } from './refusals/recent-refusals.ts';
export { ReportOnlyStats } from './refusals/report-only-stats.ts';
export type { Reservation } from './reservations.ts';
export { SessionDirectory } from './session-directory.ts';
export { describeLogRow, describeSession } from './session-handlers.ts';
export { SessionNotRecorded } from './session-record.ts';
export type { Recorded, SessionRecorder } from './session-recorder.ts';
export type { SessionView } from './session-view.ts';
export { openShares } from './shares/open.ts';
export {
  type AccountDay,
  type AccountTimes,
  type AccountTimesStore,
  ShareReached,
  type ShareRow,
  type ShareStore,
} from './shares/share-limits.ts';
export { type AdbAddress, AdbConnection } from './sources/adb/adb-connection.ts';
export { runOnPhone } from './sources/adb/adb-program.ts';
export { AdbSource } from './sources/adb/adb-source.ts';
export { serversOfAdb } from './sources/adb/shared-phones.ts';
export type { DeviceSource, LabSessions, SessionInput } from './sources/device-source.ts';
export { type DirectInput, type DirectInputs, InputUnsupported } from './sources/direct-input.ts';
export { connectToPhone } from './sources/ios/phone-port.ts';
export type { UsbmuxdAddress } from './sources/ios/usbmuxd.ts';
export { askWda } from './sources/ios/wda-client.ts';
export { listedDevices } from './sources/listed-devices.ts';
export type { LocalLab } from './sources/local-lab.ts';
export type { FrameSink, FrameSource, LineSink, LineSource } from './sources/source-streams.ts';
export {
  type DeviceInput,
  InputFailed,
  inputNote,
  type SessionStart,
  type StartedSession,
  type StartResult,
} from './start-session.ts';
export { StartCancelled, WrongPhone } from './starts/running-starts.ts';
export {
  type HourOfUse,
  type KindMonth,
  type MonthOfUse,
  monthOf,
  type PhoneUse,
  type PhoneUseStore,
} from './use/phone-use.ts';
export { refusalToDrive, refusalToSee, type SessionOwner } from './visibility/drive-session.ts';
export { isListed } from './visibility/list-sessions.ts';
export { maySeeDevice } from './visibility/see-device.ts';
