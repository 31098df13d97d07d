import { Refusal } from '@svc/auth-core';
import { MAX_LEASE_QUEUE_SECONDS } from '@svc/contract';

/** Input of a new lease: which device to lease, by udid or by platform and tags, and for how long. */
export interface LeaseInput {
  readonly udid?: string | undefined;
  readonly platform?: string | undefined;
  /** Tags, all of which the device must have. */
  readonly tags?: readonly string[] | undefined;
  /**
   * Conditions on the device, in place of `platform` and `tags`: the same object as `svc:options.device` (contract
   * 14.4). The value is not validated yet.
   */
  readonly device?: unknown;
  /** Duration of the lease in minutes, from 1 to 480. */
  readonly minutes: number;
  /**
   * Seconds for which the request waits for a device, from 0 to 60; 0 if absent. The value is not validated yet
   * (contract 13).
   */
  readonly queueSeconds?: unknown;
}

const MINUTE_MS = 60_000;
const MOST_MINUTES = 480;

/** @returns the duration (ms) of a lease of so many minutes. Throws `invalid_lease` if the number cannot be used. */
export function lifeOf(minutes: number): number {
  if (!Number.isInteger(minutes) || minutes < 1 || minutes > MOST_MINUTES)
    throw new Refusal('invalid_lease', 'minutes', {
      message: `minutes: a whole number of 1 to ${MOST_MINUTES}`,
    });
  return minutes * MINUTE_MS;
}

/** @returns the time (ms) for which the request waits. Throws `invalid_lease` if the input cannot be used. */
export function queueMsOf({ queueSeconds = 0 }: LeaseInput): number {
  const isUsable =
    Number.isInteger(queueSeconds) &&
    (queueSeconds as number) >= 0 &&
    (queueSeconds as number) <= MAX_LEASE_QUEUE_SECONDS;
  if (!isUsable)
    throw new Refusal('invalid_lease', 'queueSeconds', {
      message: `queueSeconds: a whole number of 0 to ${MAX_LEASE_QUEUE_SECONDS}`,
    });
  return (queueSeconds as number) * 1_000;
}

/** Throws `invalid_lease` unless the input names a device in one of the three ways. */
export function checkChoice({ udid, platform, tags, device }: LeaseInput): void {
  const ways = [udid !== undefined, platform !== undefined || tags !== undefined, device !== undefined];
  const message = 'name a phone by udid, or say what fits with device, or with platform and tags';
  const isEmpty = device === undefined && platform === undefined && tags?.length === 0;
  if (ways.filter(Boolean).length !== 1 || isEmpty) throw new Refusal('invalid_lease', 'choice', { message });
}
