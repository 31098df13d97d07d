import { lease, SvcClient, SvcError, withCredentials } from '@svc/client';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  type KeyPair,
  labInfo,
  makeToken,
  makeUser,
  type RunningServer,
  signIn,
  startLab,
} from '../support/lab.ts';

let lab: RunningServer;
let admin: string;
beforeAll(async () => {
  lab = await startLab({ env: { SVC_LAB_DEVICES: '2', SVC_LAB_LOG_LEVEL: 'debug' } });
  admin = await signIn(lab.url);
});
afterAll(() => lab?.stop());

interface Tester {
  readonly pair: KeyPair;
  readonly client: SvcClient;
}

/** Creates a Member with a sign-in, because their Profile tokens do not have `devices`. */
async function tester(name: string): Promise<Tester> {
  const { cookie } = await makeUser(lab.url, admin, { email: `${name}@example.com` });
  const client = new SvcClient({ url: lab.url, credential: { cookie } });
  return { pair: await makeToken(lab.url, cookie), client };
}

/**
 * Creates a session over HTTP.
 * @returns the phone that it got, or the error
 */
async function create(who: Tester | null, change: (wanted: object) => object = (wanted) => wanted) {
  const { url, basePath, capabilities } = await labInfo(lab.url);
  const wanted = change({ alwaysMatch: capabilities, firstMatch: [{}] });
  const body = JSON.stringify({ capabilities: who === null ? wanted : withCredentials(wanted, who.pair) });
  const headers = { 'content-type': 'application/json' };
  const answer = await fetch(`${url}${basePath}/session`, { method: 'POST', headers, body });
  const { value } = (await answer.json()) as {
    value: { sessionId?: string; message?: string; capabilities?: Record<string, string> };
  };
  const end = () => fetch(`${url}${basePath}/session/${value.sessionId}`, { method: 'DELETE' });
  return { udid: value.capabilities?.['appium:udid'] ?? value.capabilities?.udid, error: value.message, end };
}

const named = (udid: string) => (wanted: object) => ({ ...wanted, firstMatch: [{ 'appium:udid': udid }] });

describe('a leased phone and real creates (contract 2, leases)', () => {
  it('a leased phone starts sessions for its holder and for whoever brings id and token, and is busy for all others (contract 2, leases)', async () => {
    const [ana, bob] = [await tester('lease-ana'), await tester('lease-bob')];
    const held = await lease(ana.client, { udid: 'virtual-2', minutes: 5 });
    expect((await create(bob, named('virtual-2'))).error).toContain('the phone is busy');
    expect((await create(null, named('virtual-2'))).error).toContain('the phone is busy');

    const own = await create(ana);
    expect([own.error, own.udid]).toEqual([undefined, 'virtual-2']);
    await own.end();
    const brought = await create(bob, held.capabilities);
    expect([brought.error, brought.udid]).toEqual([undefined, 'virtual-2']);
    await brought.end();
    const ownerless = await create(null, held.capabilities);
    expect([ownerless.error, ownerless.udid]).toEqual([undefined, 'virtual-2']);

    const failure = await lease(bob.client, { udid: 'virtual-2', minutes: 5 }).catch(
      (error: unknown) => error,
    );
    expect(failure).toBeInstanceOf(SvcError);
    expect(failure).toMatchObject({ code: 'device_busy', status: 409 });
    await held.end();
    await held.end();
    await ownerless.end();
    const free = await create(bob, named('virtual-2'));
    expect(free.udid).toBe('virtual-2');
    await free.end();
    expect(lab.output()).not.toContain(held.leaseToken);
  });

  it('a leased phone stays with its holder when the server is killed and starts again (contract 2, leases)', async () => {
    const ana = await tester('lease-kill');
    const held = await lease(ana.client, { udid: 'virtual-1', minutes: 5 });
    const until = await held.extend(7);
    await lab.stop('SIGKILL');
    lab = await startLab({ env: { SVC_LAB_DEVICES: '2' }, dataDir: lab.dataDir });
    const again = new SvcClient({ url: lab.url, credential: { cookie: await signIn(lab.url) } });
    expect(await again.call('listLeases')).toMatchObject([
      { leaseId: held.leaseId, udid: 'virtual-1', expiresAt: until },
    ]);
    expect((await create(null, named('virtual-1'))).error).toContain('the phone is busy');
    const brought = await create(null, held.capabilities);
    expect(brought.udid).toBe('virtual-1');
    await brought.end();
  });
});
