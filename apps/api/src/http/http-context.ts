import type { FastifyInstance } from 'fastify';
import type { ClientFacts } from '../clients/client-address.ts';
import type { Services } from '../services/services.ts';
import type { RateHeaders } from './rate-headers.ts';
import type { RouteRow } from './route-table.ts';
import type { SignInCookie } from './sign-in-cookie.ts';
import type { Upgrades } from './upgrades.ts';

export type App = FastifyInstance;

/** What routes and hooks share: the services, and the parts of serving HTTP. */
export interface HttpContext {
  readonly services: Services;
  readonly clients: ClientFacts;
  readonly cookie: SignInCookie;
  readonly rateHeaders: RateHeaders;
  readonly upgrades: Upgrades;
  /** Base path of the automation server. */
  readonly basePath: string;
  /** Every route with its access, complete once the app is ready. */
  readonly routeTable: readonly RouteRow[];
}
