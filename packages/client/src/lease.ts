/// <reference lib="esnext.disposable" preserve="true" />
import type { BodyOf } from './calls.ts';
import { type LeaseFields, withLease } from './capabilities.ts';
import { withUnprinted } from './credentials.ts';
import { SvcError } from './error.ts';
import type { SvcClient } from './rest-client.ts';

/** `udid`, or any of `platform` and `tags`; `minutes` 1 to 480. */
export type LeaseInput = BodyOf<'createLease'>;

/** A phone kept until `end` or `expiresAt`; it is not renewed by itself. `await using` ends it with its block. */
export interface PhoneLease extends LeaseFields, AsyncDisposable {
  readonly udid: string;
  /** ISO 8601. */
  readonly expiresAt: string;
  /** The capabilities with this lease in `svc:options`, so that their create gets the phone, whoever makes it. */
  capabilities<T>(wanted: T): T;
  /** So many minutes from now; answers the new end. */
  extend(minutes: number): Promise<string>;
  /** Gives the phone back; no error when the lease is over. A session on it goes on. */
  end(): Promise<void>;
}

/** The service says of what it hides what it says of an address it does not know. */
const NO_PHONE = 'not_found: no phone that this caller may see fits';

/** Keeps a phone (contract 2, `/leases`). The credential needs `devices`; a `SvcError` `device_busy` means: try later. */
export async function lease(client: SvcClient, input: LeaseInput): Promise<PhoneLease> {
  const made = await client.call('createLease', { body: input }).catch((error) => {
    throw isNotFound(error) ? new SvcError({ ...error, message: NO_PHONE, cause: error }) : error;
  });
  const params = { id: made.leaseId };
  const end = async () => {
    try {
      await client.call('endLease', { params });
    } catch (error) {
      if (!isNotFound(error)) throw error;
    }
  };
  const { leaseToken, ...shown } = made;
  const held = {
    ...shown,
    capabilities: <T>(wanted: T): T => withLease(wanted, made),
    extend: async (minutes: number) =>
      (await client.call('changeLease', { params, body: { minutes } })).expiresAt,
    end,
    [Symbol.asyncDispose]: end,
  };
  return withUnprinted(held, 'leaseToken', leaseToken);
}

function isNotFound(error: unknown): error is SvcError {
  return error instanceof SvcError && error.status === 404;
}
