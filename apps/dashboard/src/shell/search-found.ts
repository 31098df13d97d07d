import { type PageName, pageAddress } from '../api/addresses.ts';
import type { Answer } from '../api/client.ts';
import { deviceAddress, sessionAddress } from '../api/record-addresses.ts';

export interface Found {
  readonly href: string;
  readonly name: string;
  /** What tells records of the same name apart. */
  readonly note: string;
}

/** Most results of each kind. */
export const MOST = 6;

type Device = Answer<'listDevices'>[number];

/** @returns the phones whose name, UDID, model, platform or tags contain the text */
export function phonesFound(devices: readonly Device[], text: string): Found[] {
  const wanted = text.toLowerCase();
  return devices
    .filter(({ name, udid, model, platform, osVersion, tags }) =>
      [name, udid, model ?? '', `${platform} ${osVersion}`, ...tags].some((each) =>
        each.toLowerCase().includes(wanted),
      ),
    )
    .slice(0, MOST)
    .map(({ name, udid }) => ({ href: deviceAddress(udid), name, note: udid }));
}

export function sessionsFound(sessions: Answer<'listSessions'>, unnamed: string): Found[] {
  return sessions.map(({ id, name, device, owner }) => ({
    href: sessionAddress(id),
    name: name ?? unnamed,
    note: [device?.name, owner?.email].filter((each) => each != null).join(' · '),
  }));
}

export function peopleFound(users: Answer<'listUsers'>): Found[] {
  return users.map(({ name, email }) => ({
    href: `${pageAddress('users')}?${new URLSearchParams({ search: email })}`,
    name: name || email,
    note: email,
  }));
}

export function pagesFound(pages: readonly (readonly [PageName, string])[], text: string): Found[] {
  const wanted = text.toLowerCase();
  return pages
    .filter(([, title]) => title.toLowerCase().includes(wanted))
    .slice(0, MOST)
    .map(([page, title]) => ({ href: pageAddress(page), name: title, note: '' }));
}
