import { pageAddress } from './addresses.ts';

/** Where one session, phone or comparison is shown: state of a page is in its query. */
export function sessionAddress(id: string): string {
  return `${pageAddress('sessions')}?${new URLSearchParams({ id })}`;
}

export function comparisonAddress(id: string, against: string): string {
  return `${pageAddress('sessions')}?${new URLSearchParams({ id, against })}`;
}

export function deviceAddress(udid: string): string {
  return `${pageAddress('devices')}?${new URLSearchParams({ udid })}`;
}
