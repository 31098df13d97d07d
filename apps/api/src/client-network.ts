import { normalizeIP } from '@fastify/rate-limit';

/** The /64 of an IPv6 address, since one customer has all of it; anything that is not an address is returned unchanged. */
export function networkOfAddress(address: string): string {
  try {
    return normalizeIP(address);
  } catch {
    return address;
  }
}
