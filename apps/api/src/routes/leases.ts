import { type Caller, Refusal } from '@svc/auth-core';
import { routes } from '@svc/contract';
import { ClientLeft, type CreatedLease, type LeaseInput, type LiveLease, RightLost } from '@svc/device-lab';
import { instant } from '@svc/module';
import { handle } from '../http/handle.ts';
import type { App, HttpContext } from '../http/http-context.ts';
import type { Services } from '../services/services.ts';

/** Registers the routes for leases, which reserve a phone for a user or a job (contract 2). */
export function leaseRoutes(api: App, { services }: HttpContext): void {
  const { leases } = services;
  handle(api, routes.createLease, async ({ caller, body }, reply) => {
    const gone = new AbortController();
    reply.raw.once('close', () => gone.abort());
    const { lease, secret } = await leaseInTurn(services, caller, body, gone.signal);
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

/**
 * Creates a lease and waits for a phone if the input asks for that. Rejects with a refusal if, while waiting, the
 * client disconnects or the caller loses the permission for leases.
 */
export async function leaseInTurn(
  { leases, authenticator }: Pick<Services, 'leases' | 'authenticator'>,
  caller: Caller,
  input: LeaseInput,
  gone: AbortSignal,
): Promise<CreatedLease> {
  return await leases.createInTurn(caller, input, gone).catch((error: unknown) => {
    // The client has disconnected, so it gets no response. The refusal is thrown so that it is counted and can be
    // looked up.
    if (error instanceof ClientLeft) throw new Refusal('device_busy', error.message);
    if (!(error instanceof RightLost)) throw error;
    // Throws the error that a new request with the same credential would get, if the credential is no longer valid
    // (contract 13).
    authenticator.checkStillGood(error.caller);
    throw new Refusal('insufficient_scope', error.message, { required: 'devices' });
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
