import type { ClientFacts } from '@svc/webdriver-gate';
import type { FastifyInstance } from 'fastify';
import type { Transfers } from '../clients/transfers.ts';
import type { LargeReads } from '../reads/large-reads.ts';
import type { AccountServices, Services } from '../services/services.ts';
import type { RateHeaders } from './rate-headers.ts';
import type { RouteRow } from './route-table.ts';
import type { SignInCookie } from './sign-in-cookie.ts';
import type { Upgrades } from './upgrades.ts';

export type App = FastifyInstance;

/** Objects that all routes and hooks share: the services, and the parts that serve HTTP. */
export interface HttpContext {
  readonly services: AccountServices;
  readonly clients: ClientFacts;
  readonly cookie: SignInCookie;
  readonly rateHeaders: RateHeaders;
  /** Sends the responses whose size grows with stored data. */
  readonly reads: LargeReads;
  /** Running uploads, downloads and large reads. */
  readonly transfers: Transfers;
  readonly upgrades: Upgrades;
  /** Base path of the automation server, such as `/wd/hub`; empty for none. */
  readonly basePath: string;
  /** Every route of the API with its access rule. The table is complete once the app is ready. */
  readonly routeTable: readonly RouteRow[];
}

/** Objects that the routes of a server with phones share. */
export interface LabContext extends HttpContext {
  readonly services: Services;
}

/** Whether the server has phones. A server that only authenticates has no routes about them. */
export function hasLab(context: HttpContext): context is LabContext {
  return context.services.modules.lab !== undefined;
}
