import { pageAddress } from './addresses.ts';

/**
 * Returns the address of the page of one session. The id is in the query, because the server has one static HTML file
 * for all sessions.
 */
export function sessionAddress(id: string): string {
  return `${pageAddress('sessions')}?${new URLSearchParams({ id })}`;
}

export function comparisonAddress(id: string, against: string): string {
  return `${pageAddress('sessions')}?${new URLSearchParams({ id, against })}`;
}

export function deviceAddress(udid: string): string {
  return `${pageAddress('devices')}?${new URLSearchParams({ udid })}`;
}
