import { UNKNOWN_SESSION_BODY } from '@svc/contract';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { fuzzCreate } from './creates.ts';
import { Chance, CREATES, FUZZ_MS, SEED, TARGETS } from './random.ts';
import { type FuzzServer, OWN, RawClient, startRoutes, VICTIM } from './servers.ts';
import { type FuzzRequest, fuzzRequest } from './targets.ts';

/**
 * Sends the same requests to Appium's own application and routes, once bare and once behind the gate. If the bare
 * server routes a request to a session, only the owner may reach the session through the gate. No secret of a
 * create-session request may reach the driver or the log.
 */

/** A fragment, a backslash, or a scheme other than HTTP's, which regular clients do not send. */
const IRREGULAR_TARGET = /[#\\]|^(?!https?:)[a-z]*:/i;

type Headers = Readonly<Record<string, string>>;
const as = (name: string): Headers => ({ 'X-Svc-Access-Key': name, 'X-Svc-Token': name });

function headOf({ method, target, headers }: FuzzRequest, length: number, more: Headers = {}): string {
  const all = {
    Host: 'x',
    ...(length > 0 ? { 'Content-Length': String(length) } : {}),
    ...headers,
    ...more,
  };
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`);
  return `${method} ${target} HTTP/1.1\r\n${lines.join('')}\r\n`;
}

describe.each([
  ['without a base path', ''],
  ['with a base path', '/wd/Hub'],
])('fuzzed, %s (contract 7)', (_name, base) => {
  let bare: FuzzServer;
  let gated: FuzzServer;
  let clients: { bare: RawClient; gated: RawClient };

  beforeAll(async () => {
    [bare, gated] = [await startRoutes(base, { gated: false }), await startRoutes(base, { gated: true })];
    // A short time-out for bare Appium, because a response that is missing there proves nothing.
    clients = { bare: new RawClient(bare.url, 100), gated: new RawClient(gated.url, 10_000) };
  });
  afterAll(async () => {
    clients.bare.close();
    clients.gated.close();
    await Promise.all([bare.stop(), gated.stop()]);
  });

  /**
   * Sends a request.
   * @returns the response, and the sessions that reached the driver
   */
  async function send(server: 'bare' | 'gated', request: FuzzRequest, more: Headers = {}) {
    const { reached, logged } = server === 'bare' ? bare : gated;
    reached.length = 0;
    logged.length = 0;
    const body = Buffer.from(request.method === 'POST' ? '{}' : '');
    const type = body.length > 0 ? { 'Content-Type': 'application/json' } : {};
    const isHead = request.method === 'HEAD';
    const answer = await clients[server].send(
      headOf(request, body.length, { ...type, ...more }),
      body,
      isHead,
    );
    const sessions = reached.map(({ args }) => args.at(-1)).filter((id) => id === VICTIM || id === OWN);
    return { ...answer, sessions, commands: reached.map(({ command }) => command) };
  }

  it(`request targets, ${TARGETS / 2} of them, seed ${SEED}`, { timeout: FUZZ_MS }, async () => {
    const chance = new Chance(SEED + base.length);
    let routed = 0;
    for (let at = 0; at < TARGETS / 2; at++) {
      const request = fuzzRequest(chance, base, [VICTIM, OWN]);
      const what = `#${at} ${JSON.stringify(request)}`;
      const appiums = await send('bare', request);
      if (appiums.status <= 0) continue;
      const unauthenticated = await send('gated', request);
      const bobs = await send('gated', request, as('bob'));
      const anas = await send('gated', request, as('ana'));
      expect(unauthenticated.sessions, what).toEqual([]);
      expect(bobs.sessions, what).not.toContain(VICTIM);
      expect(anas.sessions, what).not.toContain(OWN);
      expect(Math.min(unauthenticated.status, bobs.status, anas.status), what).toBeGreaterThan(0);
      expect(
        Math.max(unauthenticated.status, bobs.status, anas.status) >= 500 && appiums.status < 500,
        what,
      ).toBe(false);
      if (appiums.sessions.length === 0) continue;
      routed++;
      // What Appium routes to a session is refused, either like a command of an unknown session or like a target that
      // no regular client sends. The owner is served.
      const refusesUpgrade = request.headers.Upgrade === 'websocket' && unauthenticated.body === '';
      if (unauthenticated.status === 400 || (refusesUpgrade && IRREGULAR_TARGET.test(request.target))) {
        expect(request.target, what).toMatch(IRREGULAR_TARGET);
      } else {
        expect(unauthenticated.status, what).toBe(404);
        if (request.method !== 'HEAD') expect(unauthenticated.body, what).toBe(UNKNOWN_SESSION_BODY);
        const owners = appiums.sessions.includes(VICTIM) ? anas : bobs;
        expect(owners.sessions, what).toEqual(appiums.sessions);
        expect(owners.commands, what).toEqual(appiums.commands);
      }
    }
    // The test proves something only if Appium routes enough of the requests to a session.
    expect(routed).toBeGreaterThan(TARGETS / 40);
  });

  it(`create-session requests, ${CREATES / 2} of them, seed ${SEED}`, { timeout: FUZZ_MS }, async () => {
    const chance = new Chance(SEED * 3 + base.length);
    let created = 0;
    for (let at = 0; at < CREATES / 2; at++) {
      const secret = `hush-${at}-${chance.int(2 ** 31)}`;
      const create = fuzzCreate(chance, base, secret);
      const what = `#${at} ${create.method} ${create.target} ${JSON.stringify(create.headers)} ${create.body.toString('latin1').slice(0, 3000)}`;
      gated.reached.length = 0;
      gated.logged.length = 0;
      const { 'X-Idempotency-Key': key, ...headers } = create.headers;
      const head = headOf(
        { ...create, headers },
        create.body.length,
        key === undefined ? {} : { 'X-Idempotency-Key': `${key}${at}` },
      );
      const answer = await clients.gated.send(head, create.body, false);
      if (gated.reached.length > 0) created++;
      expect(answer.status, what).toBeGreaterThan(0);
      expect(answer.body.includes(secret), what).toBe(false);
      expect(gated.logged.join('\n').includes(secret), what).toBe(false);
      expect(JSON.stringify(gated.reached.map(({ args }) => safely(args))).includes(secret), what).toBe(
        false,
      );
    }
    expect(created).toBeGreaterThan(CREATES / 40);
  });
});

/** Serialises values that are too deep for the stack of JSON.stringify. */
function safely(args: readonly unknown[]): string {
  const texts: string[] = [];
  const open: unknown[] = [...args];
  while (open.length > 0) {
    const value = open.pop();
    if (typeof value === 'object' && value !== null)
      open.push(...Object.keys(value), ...Object.values(value));
    else texts.push(String(value));
  }
  return texts.join('\n');
}
