/// <reference lib="esnext.disposable" preserve="true" />
import type { BodyOf } from './calls.ts';
import { type LeaseFields, withLease } from './capabilities.ts';
import { withUnprinted } from './credentials.ts';
import { SvcError } from './error.ts';
import type { SvcClient } from './rest-client.ts';

/** Either `udid`, or any of `platform` and `tags`; `minutes` from 1 to 480. */
export type LeaseInput = BodyOf<'createLease'>;

/**
 * A phone reserved until `end` or `expiresAt`. The lease is not renewed automatically. `await using` ends it at the end
 * of the block.
 */
export interface PhoneLease extends LeaseFields, AsyncDisposable {
  readonly udid: string;
  /** ISO 8601. */
  readonly expiresAt: string;
  /**
   * Adds this lease to `svc:options`, so that a create with these capabilities gets the phone, regardless of its
   * client.
   */
  capabilities<T>(wanted: T): T;
  /**
   * Sets the lease to end `minutes` from now.
   * @returns the new end
   */
  extend(minutes: number): Promise<string>;
  /** Gives the phone back, without an error if the lease has ended. A session on the phone continues. */
  end(): Promise<void>;
}

/** Replaces the service's message, which does not distinguish hidden phones from unknown addresses. */
const NO_PHONE = 'not_found: no phone that this caller may see matches';

/**
 * Reserves a phone (contract 2, `/leases`). The credential needs the scope `devices`. If the error is a `SvcError` with
 * the code `device_busy`, try again later.
 */
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
