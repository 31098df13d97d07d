import { pageAddress } from './addresses.ts';

/** Addresses of one session, phone or comparison. A page keeps its state in the query. */
export function sessionAddress(id: string): string {
  return `${pageAddress('sessions')}?${new URLSearchParams({ id })}`;
}

export function comparisonAddress(id: string, against: string): string {
  return `${pageAddress('sessions')}?${new URLSearchParams({ id, against })}`;
}

export function deviceAddress(udid: string): string {
  return `${pageAddress('devices')}?${new URLSearchParams({ udid })}`;
}
