import { readFileSync } from 'node:fs';
import type { LiveEventName, LiveEvents } from '@svc/contract';
import { expect, it } from 'vitest';

/** Audience of each event, which the compiler compares with the table of the contract. */
const AUDIENCES: { readonly [Name in LiveEventName]: LiveEvents[Name]['audience'] } = {
  account_changed: 'account',
  audit: 'admins',
  device_changed: 'device',
  device_healthy: 'device',
  device_hidden: 'hidden device',
  device_new: 'device',
  device_offline: 'device',
  device_online: 'device',
  device_unhealthy: 'device',
  lease_changed: 'device',
  lease_created: 'device',
  lease_ended: 'device',
  node_offline: 'admins',
  queue_changed: 'everybody',
  queue_long: 'admins',
  recording_stopped: 'session',
  session_changed: 'session',
  session_command: 'session',
  session_ended: 'session',
  session_started: 'session',
  token_expiring: 'account',
};

/** Audience by the text in the column "Seen by" of the page. */
const SEEN_BY: Readonly<Record<string, LiveEvents[LiveEventName]['audience']>> = {
  'owner, override admins': 'session',
  'accounts that may see the phone': 'device',
  'accounts that could see the phone before it moved to another team': 'hidden device',
  'the account itself, override admins': 'account',
  'Admins with scope `admin`': 'admins',
  'every account': 'everybody',
};

it('the page of live events lists each event of the contract with its readers, and no other (specification 6)', () => {
  const page = readFileSync(new URL('../../docs/guides/live-events.md', import.meta.url), 'utf8');
  const [table = ''] = page.split('Ignore types');
  const rows = [...table.matchAll(/^\| (`.*?) +\|.*\| (.*?) +\|$/gm)].flatMap(([, types = '', seenBy = '']) =>
    [...types.matchAll(/`(\w+)`/g)].map(([, type]) => [type, SEEN_BY[seenBy]]),
  );
  expect(Object.fromEntries(rows)).toEqual(AUDIENCES);
});
