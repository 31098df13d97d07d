import type { Authenticator, Clock, CommandAuthSettings, Log } from '@svc/auth-core';
import type { DeviceLab, DriverSessions, RecentRefusals, ReportOnlyStats } from '@svc/device-lab';
import type { OpenConnections } from '@svc/module';
import type { AccessAudit } from './access-trail.ts';
import type { AdmissionOptions } from './admission.ts';
import type { GateAddresses } from './attach/attach-gate.ts';
import type { CallbackAddresses } from './callbacks/callback-addresses.ts';
import type { ClientFacts } from './client-facts.ts';
import type { CreateBudget } from './create-budget.ts';
import type { Upstream } from './forward.ts';
import type { FromHubOptions } from './nodes/from-hub.ts';
import type { CreatePlaces } from './remote/create-places.ts';
import type { RequestTracing } from './tracing.ts';

/**
 * Options of every gate (which checks WebDriver requests before they are forwarded), in front of Appium or of a grid.
 */
export interface GateOptions extends CommandAuthSettings {
  /** Base path (`--base-path`) of the server behind the gate. */
  readonly basePath: string;
  /** Determines the address of a request's client. */
  readonly clients: ClientFacts;
  /**
   * Time (ms) within which the body of a create-session request, or of a request that needs no credentials, must
   * arrive. A minute if absent.
   */
  readonly bodyMs?: number;
  readonly authenticator: Authenticator;
  readonly connections: Pick<OpenConnections, 'add'>;
  readonly clock: Clock;
  readonly log: Log;
  /** Whether each request is logged at level `debug`. */
  readonly logsAccess?: boolean;
  /** Traces create-session requests and commands; null or absent if they are not traced. */
  readonly tracing?: RequestTracing | null;
  /** Forwards requests to the servers that run sessions. */
  readonly upstream: Upstream;
  /** Handles requests to the service's own pages and API. */
  readonly site: Upstream;
}

/** Options of a gate whose server records sessions and refused requests. */
export interface RecordingGateOptions extends GateOptions {
  /**
   * Whether a create-session request without valid credentials is refused (`SVC_REQUIRE_SESSION_TOKEN`, specification
   * 5.7).
   */
  readonly requireSessionToken: boolean;
  /**
   * Seconds for which a create-session request waits for a phone if the request does not state a time. If absent, such
   * a request does not wait.
   */
  readonly queueSeconds?: number;
  /** Maximum size of the body of a create-session request, in bytes. */
  readonly createMaxBytes: number;
  /** Limits the memory that bodies of create-session requests may take in this process. */
  readonly createBudget: CreateBudget;
  /** Runs create-session requests on other servers. */
  readonly places: CreatePlaces;
  /** Counts of report-only mode, in which commands are checked but never refused. Null if that mode is off. */
  readonly reportOnlyStats: ReportOnlyStats | null;
  readonly refusals: Pick<RecentRefusals, 'note'>;
  readonly audit: AccessAudit;
  readonly stores: { readonly teams: AdmissionOptions['teams'] };
  readonly lab: GateLab;
  /** Finds attach addresses, at which clients without credentials send commands to one session (contract 15.4). */
  readonly attach: GateAddresses;
}

/** The part of the device lab that a gate uses. */
interface GateLab extends Pick<DeviceLab, 'onEnd'> {
  readonly sessions: Pick<DriverSessions, 'ownerOf' | 'findIgnoringCase'>;
}

/** Options of the gate in front of an Appium server, which may be a hub, a node, or neither. */
export interface AppiumGateOptions extends RecordingGateOptions {
  /** Whether Appium runs with `--allow-cors`. */
  readonly cors: boolean;
  /** Finds callback addresses: private addresses at which drivers and plugins call this server back. */
  readonly callbacks: Pick<CallbackAddresses, 'find'>;
  /** Verifies the requests of this node's hub, or null if this server is not a node. */
  readonly fromHub: FromHubOptions | null;
}
