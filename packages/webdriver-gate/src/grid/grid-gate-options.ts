import type { DriverSessions } from '@svc/device-lab';
import type { Upstream } from '../forward.ts';
import type { GateOptions, RecordingGateOptions } from '../gate-options.ts';
import type { GridClient } from './grid-client.ts';

/** Options of the gate at the first entrance of a grid, the server that has the database. */
export interface GridGateOptions extends RecordingGateOptions {
  readonly grid: Pick<GridClient, 'status'>;
}

/**
 * Options of the gate at a further entrance of a grid, a server without a database. This gate records nothing, because
 * the first entrance keeps the records.
 */
export interface FurtherGateOptions extends GateOptions {
  readonly grid: Pick<GridClient, 'status'>;
  readonly sessions: Pick<DriverSessions, 'ownerOf'>;
  /** Forwards every create-session request unchanged, with its credentials, to the first entrance. */
  readonly creates: Upstream['request'];
}
