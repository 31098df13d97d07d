import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { expect, it } from 'vitest';
import { eachTestItsPlace } from './place.ts';
import { startStore } from './processes/start.ts';

const place = eachTestItsPlace();

it.each([1, 7, 40])(
  'a process killed after %i transactions leaves whole ones only',
  { timeout: 30_000 },
  async (least) => {
    const child = startStore('stream', place().file);
    let reported = -1;
    for await (const line of createInterface({ input: child.stdout })) {
      reported = Math.max(reported, Number(line));
      if (reported >= least) child.kill('SIGKILL');
    }
    if (child.signalCode === null) await once(child, 'close');
    expect(child.signalCode).toBe('SIGKILL');

    const raw = place().raw();
    expect(raw.pragma('integrity_check', { simple: true })).toBe('ok');
    expect(raw.pragma('foreign_key_check')).toEqual([]);
    const store = await place().open();
    const accounts = store.accounts.list();
    // Every transaction that the process reported was committed. At most one more was, because the process can be
    // killed between a commit and its report.
    expect(accounts.length - (reported + 1)).toBeOneOf([0, 1]);
    expect(store.apiTokens.listAll().map(({ ownerId }) => ownerId)).toEqual([accounts.at(-1)?.id]);
    const events = store.audit.page(null, 1_000_000).map(({ event }) => event);
    expect(events.filter((event) => event === 'user_created')).toHaveLength(accounts.length);
    expect(events.filter((event) => event === 'authn_token_revoked')).toHaveLength(accounts.length - 1);
    expect(store.audit.check().problem).toBeNull();
  },
);
