import type { IncomingMessage } from 'node:http';
import type { Authenticator, Clock, CommandAuthSettings, Log, OpenConnections } from '@svc/auth-core';
import type { DeviceLab, DriverSessions, RecentRefusals, ReportOnlyStats } from '@svc/device-lab';
import type { AccessAudit } from './access-trail.ts';
import type { AdmissionOptions } from './admission.ts';
import type { CallbackAddresses } from './callbacks/callback-addresses.ts';
import type { CreateBudget } from './create-budget.ts';
import type { Upstream } from './forward.ts';
import type { GridClient } from './grid/grid-client.ts';
import type { FromHubOptions } from './nodes/from-hub.ts';
import type { CreatePlaces } from './remote/create-places.ts';
import type { RequestTracing } from './tracing.ts';

export interface GateOptions extends CommandAuthSettings {
  /** `SVC_REQUIRE_SESSION_TOKEN`: a create without valid credentials is refused (specification 5.7). */
  readonly requireSessionToken: boolean;
  /** Largest body of a create, in bytes. */
  readonly createMaxBytes: number;
  /** The automation server's `--base-path`. */
  readonly basePath: string;
  /** Whether it runs with `--allow-cors`. */
  readonly cors: boolean;
  /** Null unless commands are checked for the report only. */
  readonly reportOnlyStats: ReportOnlyStats | null;
  readonly refusals: Pick<RecentRefusals, 'note'>;
  /** The client's address as the service counts it. */
  readonly addressOf: (req: IncomingMessage) => string;
  /** Whether trusted proxies tell it, so that nobody can invent it. */
  readonly isAddressVerified?: boolean;
  /** How long the body of a create or public route may take; a minute when absent. */
  readonly bodyMs?: number;
  /** The budget of this process for bodies of creates. */
  readonly createBudget: CreateBudget;
  readonly authenticator: Authenticator;
  readonly audit: AccessAudit;
  readonly stores: { readonly teams: AdmissionOptions['teams'] };
  readonly connections: Pick<OpenConnections, 'add'>;
  readonly lab: GateLab;
  readonly clock: Clock;
  readonly log: Log;
  /** Whether each request gets a line at `debug`. */
  readonly logsAccess?: boolean;
  /** Runs creates elsewhere; absent: all run on the automation server here. */
  readonly places?: CreatePlaces | null;
  /** What is behind the gate is a grid and no Appium; absent: it is Appium. */
  readonly grid?: Pick<GridClient, 'status'> | null;
  /** Takes every create as it came, with its credentials, to another gate; absent: they are this one's. */
  readonly creates?: Upstream['request'] | null;
  /** Follows creates and commands; absent: nothing does. */
  readonly tracing?: RequestTracing | null;
  /** Where drivers and plugins call back; absent: nowhere. */
  readonly callbacks?: Pick<CallbackAddresses, 'find'> | null;
  /** Its hub; absent: this server is no node. */
  readonly fromHub?: FromHubOptions | null;
  /** The automation server, and what runs on nodes. */
  readonly upstream: Upstream;
  /** The service's own pages and API. */
  readonly site: Upstream;
}

/** What the gate asks the lab. */
interface GateLab extends Pick<DeviceLab, 'onEnd'> {
  readonly sessions: Pick<DriverSessions, 'ownerOf' | 'findIgnoringCase'>;
}
