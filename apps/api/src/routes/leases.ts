import { routes } from '@svc/contract';
import type { LiveLease } from '@svc/device-lab';
import { handle } from '../http/handle.ts';
import type { App, HttpContext } from '../http/http-context.ts';
import { instant } from '../wire/instant.ts';

/** Registers the routes for leases, which reserve a phone for a user or a job (contract 2). */
export function leaseRoutes(api: App, { services: { leases } }: HttpContext): void {
  handle(api, routes.createLease, ({ caller, body }) => {
    const { lease, secret } = leases.create(caller, body);
    return { leaseId: lease.id, leaseToken: secret, udid: lease.udid, expiresAt: instant(lease.expiresAt) };
  });

  handle(api, routes.listLeases, ({ caller }) => leases.list(caller).map(describe));

  handle(
    api,
    routes.changeLease,
    ({ caller, params, body }) => describe(leases.extend(caller, params.id, body.minutes)),
    { authorizeResource: (caller, { id }) => leases.checkSeen(caller, id) },
  );

  handle(api, routes.endLease, ({ caller, params }) => leases.end(caller, params.id), {
    authorizeResource: (caller, { id }) => leases.checkSeen(caller, id),
  });
}

function describe({ lease, owner }: LiveLease) {
  return {
    leaseId: lease.id,
    udid: lease.udid,
    owner: { id: owner.id, email: owner.email },
    expiresAt: instant(lease.expiresAt),
  };
}
