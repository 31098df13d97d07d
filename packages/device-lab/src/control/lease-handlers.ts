import { type Authenticator, type Caller, Refusal } from '@svc/auth-core';
import { type Handlers, instant } from '@svc/module';
import type { LiveLease } from '../leases/held-leases.ts';
import { ClientLeft, RightLost } from '../queue/phone-request.ts';
import type { LeaseInput } from './lease-input.ts';
import type { CreatedLease, Leases } from './leases.ts';

interface Tools {
  readonly leases: Leases;
  readonly authenticator: Pick<Authenticator, 'checkStillGood'>;
}

/** Handlers of leases, which reserve a phone for a user or a job (contract 2). */
export function leaseHandlers(tools: Tools): Handlers {
  const { leases } = tools;
  const authorize = (caller: Caller, { id }: { id: string }) => leases.checkSeen(caller, id);
  return {
    createLease: async ({ caller, body }, { gone }) => {
      const { lease, secret } = await leaseInTurn(tools, caller, body, gone);
      return {
        leaseId: lease.id,
        leaseToken: secret,
        udid: lease.udid,
        expiresAt: instant(lease.expiresAt),
      };
    },
    listLeases: ({ caller }) => leases.list(caller).map(describe),
    changeLease: {
      authorize,
      answer: ({ caller, params, body }) => describe(leases.extend(caller, params.id, body.minutes)),
    },
    endLease: { authorize, answer: ({ caller, params }) => leases.end(caller, params.id) },
  };
}

/**
 * Creates a lease and waits for a phone if the input asks for that. Rejects with a refusal if, while waiting, the
 * client disconnects or the caller loses the permission for leases.
 */
export async function leaseInTurn(
  { leases, authenticator }: Tools,
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
