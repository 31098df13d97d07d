import { useMemo } from 'preact/hooks';
import { type PageName, pageAddress } from '../../api/addresses.ts';
import { call } from '../../api/client.ts';
import { useResource } from '../../api/use-resource.ts';
import type { AuditItem } from './load-audit.ts';

interface Target {
  readonly id: string;
  readonly name: string | null;
  readonly href: string;
}

/** Targets whose name is known, by the id that audit rows contain. */
export type Names = ReadonlyMap<string, Target>;

/** Most users, keys and sessions whose names are loaded, newest first. */
const query = { limit: '500' };
const fewer = { limit: '100' };

function at(page: PageName, by: Record<string, string> = {}): string {
  return `${pageAddress(page)}?${new URLSearchParams(by)}`;
}

/** Lists that contain the names, and the events whose rows have an id of the list. */
const LISTS: readonly (readonly [events: RegExp, load: () => Promise<readonly Target[]>])[] = [
  [/^(user|authn|authz_admin|sys_mail)/, async () => (await call('listUsers', { query })).map(userOf)],
  [/^(authn_token|session)/, async () => (await call('listApiKeys', { query })).map(keyOf)],
  [/^authz_admin/, async () => (await call('listTeams')).map(teamOf)],
  [/^authz_admin/, async () => (await call('listTrustRules')).map(ruleOf)],
  [
    /^(device|lease|spectator|session_wrong|authz_admin)/,
    async () => (await call('listDevices')).map(phoneOf),
  ],
  [/^(session|attach|recording)/, async () => (await call('listSessions', { query: fewer })).map(sessionOf)],
  [/^app/, async () => (await call('listApps')).map(appOf)],
  [/^webhook/, async () => (await call('listWebhooks')).map(webhookOf)],
];

interface Item {
  readonly id: string;
  readonly name: string;
}

const userOf = ({ id, email }: { id: string; email: string }) => ({
  id,
  name: email,
  href: at('users', { search: email }),
});
const keyOf = ({ id, name }: Item) => ({ id, name, href: at('api-keys', { search: name }) });
const teamOf = ({ id, name }: Item) => ({ id, name, href: at('teams', { id }) });
const ruleOf = ({ id, name }: Item) => ({ id, name, href: at('workloads') });
const appOf = ({ id, name }: Item) => ({ id, name, href: at('apps') });
const phoneOf = ({ udid, name }: { udid: string; name: string }) => ({
  id: udid,
  name,
  href: at('devices', { udid }),
});
const sessionOf = ({ id, name }: { id: string; name: string | null }) => ({
  id,
  name,
  href: at('sessions', { id }),
});
const webhookOf = ({ id, url }: { id: string; url: string | null }) => ({
  id,
  name: url === null ? null : new URL(url).host,
  href: at('settings', { tab: 'webhooks' }),
});

/**
 * Loads the lists that contain the targets of these rows, each once. A list that cannot be loaded, for example at a node,
 * is left out.
 */
export function useNames(rows: readonly AuditItem[]): Names {
  const needed = useMemo(() => {
    const events = [...new Set(rows.map(({ event }) => event))];
    return LISTS.filter(([names]) => events.some((event) => names.test(event)));
  }, [rows]);
  const names = useResource(async () => {
    const lists = await Promise.allSettled(needed.map(([, load]) => load()));
    const targets = lists.flatMap((list) => (list.status === 'fulfilled' ? list.value : []));
    return new Map(targets.map((target) => [target.id, target]));
  }, [needed.map((list) => LISTS.indexOf(list)).join()]);
  return names.value ?? NONE;
}

const NONE: Names = new Map();

/** @returns the address of the page of a target whose name is not known, if its events tell the kind of the target */
export function addressOf({ event, target }: Pick<AuditItem, 'event' | 'target'>): string | undefined {
  return target !== null && /^(session|attach|recording)_/.test(event)
    ? at('sessions', { id: target })
    : undefined;
}
