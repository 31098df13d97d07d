import { normalizeIP } from '@fastify/rate-limit';

/** Of IPv6 the /64, since one customer has all of those; anything unreadable stays as it is. */
export function networkOfAddress(address: string): string {
  try {
    return normalizeIP(address);
  } catch {
    return address;
  }
}
