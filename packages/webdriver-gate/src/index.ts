// The gate in front of Appium or a grid: which WebDriver requests and sockets are valid, and who may send them.
//
// The files beside the folders check create-session requests, commands, session lists and sockets, and forward what passes.
// `grid/` is the gate in front of a grid, `nodes/` leads to sessions on nodes, `remote/` is common to both. `callbacks/` has
// the private addresses that drivers call, and `attach/` the addresses with which a tool uses a running session.
//
// Not here: the rules (auth-core), the choice of a phone and the log of commands (device-lab), and `/svc` (apps/api).

export { type AppiumGate, appiumGate } from './appium-gate.ts';
export { BODY_MS, mayHaveBody } from './body.ts';
export { CallbackAddresses } from './callbacks/callback-addresses.ts';
export { RunningCommands } from './callbacks/running-commands.ts';
export { type ClientFacts, clientFacts } from './client-facts.ts';
export { isDoubled, onlyBasicOf } from './command-check.ts';
export { ClientGone, type CreateLimits, readCreate } from './create-body.ts';
export { CreateBudget, type CreateShare } from './create-budget.ts';
export { asWebDriverError } from './create-errors.ts';
export { answerExecuteMethod } from './execute-methods.ts';
export {
  authorizedAs,
  type GateContext,
  isMarkedSensitive,
  markAuthorized,
  type Upstream,
} from './forward.ts';
export { classifyForwarded, type ForwardedTarget } from './forwarded-target.ts';
export type { Gate, GateCounts } from './gate.ts';
export type {
  AppiumGateOptions,
  RecordingGateOptions,
} from './gate-options.ts';
export { type GridAddress, GridClient } from './grid/grid-client.ts';
export { GridCreates } from './grid/grid-creates.ts';
export { furtherGridGate, gridGate } from './grid/grid-gate.ts';
export type { FurtherGateOptions, GridGateOptions } from './grid/grid-gate-options.ts';
export { GridSessions } from './grid/grid-sessions.ts';
export { gridUpstream } from './grid/grid-upstream.ts';
export { GridWatch } from './grid/grid-watch.ts';
export { SignedSessionIds } from './grid/session-ids.ts';
export {
  type InnerRequest,
  type InnerResponse,
  InnerResponseTooLarge,
  sendInner,
} from './inner-requests.ts';

export { withNodes } from './nodes/node-upstream.ts';
export { RemoteCreates } from './nodes/remote-creates.ts';
export { observed } from './observer.ts';
export { printable } from './printable.ts';
export { CommandTurns, NoTurn, type TurnLimits } from './remote/command-turns.ts';
export type { CreatePlaces } from './remote/create-places.ts';
export { forwardedHeaders, isForClient } from './remote/headers.ts';
export type { RemotePlace } from './remote/place.ts';
export { Relay } from './remote/relay.ts';
export { RepeatedCreates } from './remote/repeated-creates.ts';
export { type GateOrigin, LazyOrigin, requestIdOf } from './request-origin.ts';
export { GateResponses, invalidArgument, notCreated, WebDriverError } from './responses.ts';
export { screenshotsVia } from './screenshot.ts';
export { SOCKETS_PER_ACCOUNT } from './socket-places.ts';
export { Targets } from './target.ts';
export type { RequestTracing } from './tracing.ts';
export { refuseUpgrade } from './upgrade-socket.ts';
export { closeWithConnection } from './waiting-responses.ts';
