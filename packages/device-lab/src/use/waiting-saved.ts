import type { Device } from '../device.ts';

type Phone = Pick<Device, 'platform' | 'osVersion' | 'model'>;

/** A request that waits for any phone that it can use, and could be served if one were free. */
export interface WaitingForPhone<P> {
  usable(phone: P): boolean;
}

/** @returns a text that is the same for phones that can replace each other, such as `Pixel 8, Android 14` */
export function kindOf({ platform, osVersion, model }: Phone): string {
  const system = `${platform} ${osVersion}`.trim();
  return model === null ? system : `${model}, ${system}`;
}

/**
 * Returns the kinds of which one more phone would shorten the queue now: those of phones that a waiting request could
 * use. The time for which a kind is in this set is the least waiting that one more phone of it would have saved: with
 * first come, first served and requests that take any phone of the kind, one more phone never makes the queue longer,
 * and it makes the queue shorter by at least one request as long as there is one.
 */
export function kindsWanted<P extends Phone>(
  requests: readonly WaitingForPhone<P>[],
  phones: readonly P[],
): ReadonlySet<string> {
  const wanted = new Set<string>();
  let left = phones;
  for (const request of requests) {
    for (const phone of left)
      if (!wanted.has(kindOf(phone)) && request.usable(phone)) wanted.add(kindOf(phone));
    left = left.filter((phone) => !wanted.has(kindOf(phone)));
    if (left.length === 0) break;
  }
  return wanted;
}
