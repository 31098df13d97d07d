import { generateKeyPairSync } from 'node:crypto';
import {
  fakeClock,
  type Installation,
  installation,
  NOON,
  signerOf,
  silentLog,
} from '@svc/auth-core/testing';
import type { NodeAction } from '@svc/contract';
import { memoryStores } from '@svc/store-sqlite/testing';
import { decodeJwt } from 'jose';
import { beforeEach, describe, expect, it } from 'vitest';
import { HubKeys } from '../src/tokens/hub-keys.ts';
import { HubTokenVerifier } from '../src/tokens/hub-token-verifier.ts';
import { HubTokens } from '../src/tokens/hub-tokens.ts';

let here: Installation;
let hub: ReturnType<typeof signerOf>;
let tokens: HubTokens;
let nodeClock: ReturnType<typeof fakeClock>;
let log: ReturnType<typeof silentLog>;
let published: unknown;
let fetches: number;
let keys: HubKeys;
let verifier: HubTokenVerifier;

beforeEach(async () => {
  here = await installation();
  hub = signerOf(here);
  tokens = new HubTokens(hub.signer, hub.clock);
  nodeClock = fakeClock(NOON);
  log = silentLog();
  published = { keys: here.ring.publicKeys(NOON) };
  fetches = 0;
  const fetch = async () => {
    fetches++;
    if (published instanceof Error) throw published;
    return published;
  };
  keys = new HubKeys({ fetch, clock: nodeClock, log });
  verifier = verifierOn(memoryStores());
});

function verifierOn(stores: ReturnType<typeof memoryStores>): HubTokenVerifier {
  return new HubTokenVerifier({ keys, issuer: 'svc', node: 'node:1', stores, clock: nodeClock, log });
}

const on = (udid: string, node = 'node:1') => ({ node, udid });
const outcome = async (work: () => unknown): Promise<string> => {
  try {
    await work();
    return 'ok';
  } catch (error) {
    return `${(error as Error).name}: ${(error as Error).message}`;
  }
};
const command = (token: string | undefined, sid = 's1') => outcome(() => verifier.checkCommand(token, sid));
const create = (token: string | undefined) => outcome(() => verifier.redeemCreate(token));

describe('a token for a create (contract 8.2, spec 2 Hub token)', () => {
  it('a token for a create names the device and the owner, lives 120 s, and is good once, also after a restart (contract 8.2, spec 2 Hub token)', async () => {
    const token = await tokens.forCreate(on('phone-1'), 'user-1', { guarded: true });
    expect(decodeJwt(token)).toMatchObject({ aud: 'svc-node-create', udid: 'phone-1', sub: 'user-1' });
    expect((decodeJwt(token).exp as number) - (decodeJwt(token).iat as number)).toBe(120);
    const stores = memoryStores();
    verifier = verifierOn(stores);
    expect(await verifier.redeemCreate(token)).toEqual({
      ...{ udid: 'phone-1', sub: 'user-1', guarded: true },
      ...{ lessee: null, keep: false },
    });
    expect(await create(token)).toBe('Refusal: hub token: spent');
    verifier = verifierOn(stores);
    expect(await create(token)).toBe('Refusal: hub token: spent');
  });

  it('a token for a create is redeemed by one of many at once (contract 8.2, spec 2 Hub token)', async () => {
    const token = await tokens.forCreate(on('phone-1'), null, { guarded: true });
    const answers = await Promise.all(Array.from({ length: 8 }, () => create(token)));
    expect(answers.filter((each) => each === 'ok')).toHaveLength(1);
  });

  it('a token for a create is no token for a command, nor the other way round (contract 8.2, spec 2 Hub token)', async () => {
    expect(await command(await tokens.forCreate(on('phone-1'), null, { guarded: true }))).toBe(
      'Refusal: hub token: wrong kind',
    );
    expect(await create(await tokens.forSession('s1', null))).toBe('Refusal: hub token: wrong kind');
    const bearer = await hub.signer.mint({
      sub: 'u',
      aud: 'svc-rest',
      scopes: ['admin'],
      lifetime: 60,
      until: null,
    });
    expect(await command(bearer.token)).toBe('Refusal: hub token: wrong kind');
  });
});

describe('a token for a stream or an input (contract 4, 8)', () => {
  const control = (token: string | undefined, udid = 'phone-1', action: NodeAction = 'text') =>
    outcome(() => verifier.redeemControl(token, udid, action));

  it('a token for a stream or an input is for one action on one device, names the session of an input, lives 60 s, and is good once (contract 4, 8)', async () => {
    const token = await tokens.forControl(on('phone-1'), 'text', 's1');
    const { aud, iat, exp } = decodeJwt(token) as { aud: string; iat: number; exp: number };
    expect([aud, exp - iat]).toEqual(['svc-node-control', 60]);
    expect(await control(token, 'phone-2')).toBe('Refusal: hub token: for another device');
    expect(await control(token, 'phone-1', 'clipboard')).toBe('Refusal: hub token: for something else');
    const stores = memoryStores();
    verifier = verifierOn(stores);
    expect(await verifier.redeemControl(token, 'phone-1', 'text')).toEqual({ sessionId: 's1', lessee: null });
    verifier = verifierOn(stores);
    expect(await control(token)).toBe('Refusal: hub token: spent');
    const leased = await tokens.forControl({ ...on('p'), lessee: 'user-2' }, 'adb', null);
    expect(await verifier.redeemControl(leased, 'p', 'adb')).toEqual({ sessionId: null, lessee: 'user-2' });
    expect(await control(undefined)).toBe('Refusal: hub token: no hub token');
  });

  it('a token for a stream or an input is no token for a create or a command, nor the other way round (contract 4, 8)', async () => {
    const token = await tokens.forControl(on('phone-1'), 'text', 's1');
    expect([await create(token), await command(token)]).toEqual(
      Array(2).fill('Refusal: hub token: wrong kind'),
    );
    for (const other of [
      await tokens.forCreate(on('phone-1'), null, { guarded: true }),
      await tokens.forSession('s1', null),
    ])
      expect(await control(other)).toBe('Refusal: hub token: wrong kind');
  });

  it('a token for a stream or an input ends after its life and the tolerance (contract 4, 8)', async () => {
    const token = await tokens.forControl(on('phone-1'), 'text', 's1');
    nodeClock.advance(90_000);
    expect(await control(token)).toBe('Refusal: hub token: expired');
  });
});

it('a token for a create, a stream or an input is for one node (contract 8.2)', async () => {
  const other = on('phone-1', 'other:1');
  const control = await tokens.forControl(other, 'lines', null);
  expect(await create(await tokens.forCreate(other, null, { guarded: true }))).toBe(
    'Refusal: hub token: for another node',
  );
  expect(await outcome(() => verifier.redeemControl(control, 'phone-1', 'lines'))).toBe(
    'Refusal: hub token: for another node',
  );
});

describe('a token for commands (contract 8.2)', () => {
  it('a token for commands is for one session, used again while it has time left, and then made anew (contract 8.2)', async () => {
    const token = await tokens.forSession('s1', 'user-1');
    const { sid, iat, exp } = decodeJwt(token) as { sid: string; iat: number; exp: number };
    expect([sid, exp - iat]).toEqual(['s1', 300]);
    expect(tokens.forSession('s1', 'user-1')).toBe(token);
    hub.clock.advance(181_000);
    expect(await tokens.forSession('s1', 'user-1')).not.toBe(token);
    expect([await command(token), await command(token, 's2')]).toEqual([
      'ok',
      'Refusal: hub token: for another session',
    ]);
    expect(await command(undefined)).toBe('Refusal: hub token: no hub token');
  });

  it('a token for commands is verified once, and warm without a promise until it ends (contract 8.2)', async () => {
    const token = await tokens.forSession('s1', null);
    await verifier.checkCommand(token, 's1');
    expect(verifier.checkCommand(token, 's1')).toBeUndefined();
    nodeClock.advance(330_000);
    expect(await command(token)).toBe('Refusal: hub token: expired');
  });

  it('a token for commands may be 30 s off either way; more is refused and named in the log (contract 4)', async () => {
    const token = await tokens.forSession('s1', null);
    nodeClock.advance(-30_000);
    expect(await command(token)).toBe('ok');
    nodeClock.advance(-1_000);
    expect(await command(await tokens.forSession('s2', null), 's2')).toBe(
      'Refusal: hub token: issued in the future',
    );
    expect(log.entries.map(({ message }) => message)).toEqual([
      expect.stringContaining('31 s ahead by this server'),
    ]);
    nodeClock.advance(31_000 + 329_000);
    expect(await command(await tokens.forSession('s3', null), 's3')).toBe('ok');
    nodeClock.advance(1_000);
    expect(await command(await tokens.forSession('s4', null), 's4')).toBe('Refusal: hub token: expired');
    expect(log.entries.at(-1)?.message).toContain('330 s ago');
  });
});

describe("the hub's keys at a node (contract 8.3)", () => {
  it("the hub's keys at a node are cached for 10 minutes, and an unknown one is asked for at most every 30 s (contract 8.3)", async () => {
    const token = await tokens.forSession('s1', null);
    const other = await new HubTokens(signerOf(await installation()).signer, hub.clock).forSession(
      's1',
      null,
    );
    await command(token);
    for (let times = 0; times < 50; times++) await command(other);
    expect([await command(other), fetches]).toEqual(['Refusal: hub token: unknown key', 1]);
    nodeClock.advance(30_000);
    await Promise.all([command(other), command(other)]);
    expect(fetches).toBe(2);
  });

  it("a node that cannot get the hub's keys is unavailable, and neither refuses commands nor lets them through (contract 8.3)", async () => {
    const token = await tokens.forSession('s1', null);
    published = new Error('connection refused');
    expect(await command(token)).toMatch(/^Unavailable/);
    expect(await create(await tokens.forCreate(on('p'), null, { guarded: true }))).toMatch(/^Unavailable/);
    expect(fetches).toBe(1);
    published = { keys: [] };
    nodeClock.advance(1_000);
    expect(await command(token)).toMatch(/^Unavailable/);
    published = { keys: here.ring.publicKeys(NOON) };
    nodeClock.advance(1_000);
    expect(await command(token)).toBe('ok');
    published = new Error('connection refused');
    nodeClock.advance(599_000);
    const later = signerOf(here);
    later.clock.advance(601_000);
    const fresh = await new HubTokens(later.signer, later.clock).forSession('s1', null);
    expect(await command(fresh)).toBe('ok');
    nodeClock.advance(1_000);
    expect(await command(fresh)).toMatch(/^Unavailable/);
  });

  it("the hub's keys at a node are refreshed ahead of time, so that a short outage is not noticed (contract 8.3)", async () => {
    await keys.refresh();
    nodeClock.advance(301_000);
    await keys.refresh();
    expect(fetches).toBe(2);
    nodeClock.advance(301_000);
    published = new Error('connection refused');
    await keys.refresh();
    expect(await command(await tokens.forSession('s1', null))).toMatch(/Refusal: hub token: expired/);
  });

  it("the hub's keys at a node take nothing but public P-256 keys (contract 8.3)", async () => {
    const rsa = generateKeyPairSync('rsa', { modulusLength: 2048 }).publicKey.export({ format: 'jwk' });
    published = { keys: [{ ...rsa, kid: 'a' }, null, 'x', { kty: 'oct', k: 'AAAA', kid: 'b' }] };
    expect(await command(await tokens.forSession('s1', null))).toMatch(/^Unavailable/);
  });
});
