import type { DriverSessions } from '@svc/device-lab';
import type { Upstream } from '../forward.ts';
import type { GateOptions, RecordingGateOptions } from '../gate-options.ts';
import type { GridClient } from './grid-client.ts';

/**
 * Options of the gate, which checks WebDriver requests, at the first entrance of a grid: the server with the database.
 */
export interface GridGateOptions extends RecordingGateOptions {
  readonly grid: Pick<GridClient, 'status'>;
}

/**
 * Options of the gate, which checks WebDriver requests, at a further entrance of a grid: a server without a database.
 * It records nothing, because the first entrance keeps the records.
 */
export interface FurtherGateOptions extends GateOptions {
  readonly grid: Pick<GridClient, 'status'>;
  readonly sessions: Pick<DriverSessions, 'ownerOf'>;
  /**
   * Forwards a create-session request unchanged, with its credentials, to the first entrance (the server with the
   * database).
   */
  readonly creates: Upstream['request'];
}
