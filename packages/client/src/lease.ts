/// <reference lib="esnext.disposable" preserve="true" />
import type { BodyOf } from './calls.ts';
import { type LeaseFields, withLease } from './capabilities.ts';
import { withUnprinted } from './credentials.ts';
import { SvcError } from './error.ts';
import type { SvcClient } from './rest-client.ts';

/**
 * Phone to reserve, and for how long: either `udid`, or `platform` and `tags` in any combination. `minutes` is from 1
 * to 480. `queueSeconds`, from 0 to 60, is the time to wait for a phone that is in use.
 */
export type LeaseInput = BodyOf<'createLease'>;

/**
 * A phone that is reserved until `end` is called or `expiresAt` is reached. The lease is not renewed automatically. A
 * lease declared with `await using` ends at the end of its block.
 */
export interface PhoneLease extends LeaseFields, AsyncDisposable {
  readonly udid: string;
  /** Time at which the lease ends, in ISO 8601. */
  readonly expiresAt: string;
  /**
   * Returns the capabilities with this lease in `svc:options`, so that a session created with them gets the phone,
   * whichever WebDriver client creates it.
   */
  capabilities<T>(wanted: T): T;
  /**
   * Changes the end of the lease to `minutes` from now.
   * @returns the new end in ISO 8601
   */
  extend(minutes: number): Promise<string>;
  /**
   * Gives the phone back. Does not throw if the lease has already ended. A session that runs on the phone continues.
   */
  end(): Promise<void>;
}

/** Message of the error if no phone matches. The service's own message for `not_found` does not mention phones. */
const NO_PHONE = 'not_found: no phone that this caller may see matches';

/**
 * Reserves a phone (contract 2, `/leases`). The credential needs the scope `devices`. Throws a `SvcError` with the code
 * `device_busy` if all matching phones are in use and none becomes free within `queueSeconds`.
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
