import type { IncomingMessage } from 'node:http';
import type { Authenticator, Clock, CommandAuthSettings, Log, OpenConnections } from '@svc/auth-core';
import type { DeviceLab, DriverSessions, RecentRefusals, ReportOnlyStats } from '@svc/device-lab';
import type { AccessAudit } from './access-trail.ts';
import type { AdmissionOptions } from './admission.ts';
import type { CallbackAddresses } from './callbacks/callback-addresses.ts';
import type { CreateBudget } from './create-budget.ts';
import type { Upstream } from './forward.ts';
import type { FromHubOptions } from './nodes/from-hub.ts';
import type { CreatePlaces } from './remote/create-places.ts';
import type { RequestTracing } from './tracing.ts';

/** What the gates of all shapes need. */
export interface GateOptions extends CommandAuthSettings {
  /** `--base-path` of the server behind the gate. */
  readonly basePath: string;
  /** Returns the client's address as the service counts it. */
  readonly addressOf: (req: IncomingMessage) => string;
  /** Whether trusted proxies report that address, so that a client cannot forge it. */
  readonly isAddressVerified?: boolean;
  /** Milliseconds that the body of a create or of a public route may take; a minute if absent. */
  readonly bodyMs?: number;
  readonly authenticator: Authenticator;
  readonly connections: Pick<OpenConnections, 'add'>;
  readonly clock: Clock;
  readonly log: Log;
  /** Whether each request gets a line at `debug`. */
  readonly logsAccess?: boolean;
  /** Traces creates and commands. */
  readonly tracing?: RequestTracing | null;
  /** The servers that run sessions. */
  readonly upstream: Upstream;
  /** The service's own pages and API. */
  readonly site: Upstream;
}

/** What a gate needs whose server records sessions and refusals. */
export interface RecordingGateOptions extends GateOptions {
  /** `SVC_REQUIRE_SESSION_TOKEN`: a create without valid credentials is refused (specification 5.7). */
  readonly requireSessionToken: boolean;
  /** Maximum size of the body of a create, in bytes. */
  readonly createMaxBytes: number;
  /** The budget of this process for bodies of creates. */
  readonly createBudget: CreateBudget;
  /** Runs creates on other servers. */
  readonly places: CreatePlaces;
  /** Null unless commands are checked for the report only. */
  readonly reportOnlyStats: ReportOnlyStats | null;
  readonly refusals: Pick<RecentRefusals, 'note'>;
  readonly audit: AccessAudit;
  readonly stores: { readonly teams: AdmissionOptions['teams'] };
  readonly lab: GateLab;
}

/** The part of the lab that a gate uses. */
interface GateLab extends Pick<DeviceLab, 'onEnd'> {
  readonly sessions: Pick<DriverSessions, 'ownerOf' | 'findIgnoringCase'>;
}

/** What the gate in front of an Appium server needs, whether or not it is a hub or a node. */
export interface AppiumGateOptions extends RecordingGateOptions {
  /** Whether Appium runs with `--allow-cors`. */
  readonly cors: boolean;
  /** Addresses that drivers and plugins call back. */
  readonly callbacks: Pick<CallbackAddresses, 'find'>;
  /** The hub of this node, or null if this server is not a node. */
  readonly fromHub: FromHubOptions | null;
}
