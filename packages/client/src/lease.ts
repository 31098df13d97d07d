import { type BodyOf, routes } from '@svc/contract';
import { type LeaseFields, withLease } from './capabilities.ts';
import { SvcError } from './error.ts';
import type { SvcClient } from './rest-client.ts';

/** `udid`, or any of `platform` and `tags`; `minutes` 1 to 480. */
export type LeaseInput = BodyOf<typeof routes.createLease>;

/** A phone kept until `end` or `expiresAt`; it is not renewed by itself. */
export interface PhoneLease extends LeaseFields {
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

/** Keeps a phone (contract 2, `/leases`). The credential needs `devices`; a `SvcError` `device_busy` means: try later. */
export async function lease(client: SvcClient, input: LeaseInput): Promise<PhoneLease> {
  const made = await client.call(routes.createLease, { body: input });
  const params = { id: made.leaseId };
  return {
    ...made,
    capabilities: (wanted) => withLease(wanted, made),
    extend: async (minutes) =>
      (await client.call(routes.changeLease, { params, body: { minutes } })).expiresAt,
    end: async () => {
      try {
        await client.call(routes.endLease, { params });
      } catch (error) {
        if (!(error instanceof SvcError && error.status === 404)) throw error;
      }
    },
  };
}
