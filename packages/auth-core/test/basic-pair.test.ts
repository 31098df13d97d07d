import { memoryStores } from '@svc/store-sqlite/testing';
import fc from 'fast-check';
import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { LOCAL_ORIGIN } from '../src/audit.ts';
import { basicOf, pairOfBasic, requirePairOfBasic } from '../src/credentials/basic-pair.ts';
import { CommandCallers } from '../src/credentials/command-callers.ts';
import { Rejected } from '../src/credentials/verification.ts';
import { Refusal } from '../src/errors.ts';
import type { Account } from '../src/principal.ts';
import { type Core, setUpCore } from '../src/testing/core.ts';
import { type Installation, installation } from '../src/testing/signing.ts';

const encoded = (text: string) => Buffer.from(text).toString('base64');
const basic = (text: string) => `Basic ${encoded(text)}`;

let here: Installation;
let core: Core;
let ana: Account;
let pair: { accessKey: string; token: string };

beforeAll(async () => {
  here = await installation();
});
beforeEach(() => {
  core = setUpCore(here.ring, memoryStores());
  ana = core.addUser('ana', 'Member');
  const { accessKey = '', token = '' } = core.addToken(ana).pair;
  pair = { accessKey, token };
});

describe('an Authorization header with Basic', () => {
  it('an Authorization header with Basic is a key pair exactly if its user name begins with svc_ (contract 15.1)', () => {
    const starts = fc.oneof(fc.constantFrom('svc_', 'svc', 'svct_', 'SVC_', ''), fc.string());
    fc.assert(
      fc.property(starts, fc.string(), fc.constantFrom('Basic', 'basic', 'BASIC'), (start, rest, scheme) => {
        const text = start + rest;
        const found = basicOf(`${scheme} ${encoded(text)}`);
        expect(found).toBe(text.startsWith('svc_') ? encoded(text) : undefined);
      }),
    );
  });

  it.each([
    undefined,
    '',
    'Basic',
    'Basic ',
    'Bearer c3ZjX2E6Yg==',
    'Basicc3ZjX2E6Yg==',
    'Basic !c3ZjX2E6Yg==',
  ])('an Authorization header with Basic is no credential if it is %j (contract 15.1)', (header) =>
    expect(basicOf(header)).toBeUndefined(),
  );

  it('an Authorization header with Basic is decoded at the first colon, with or without padding (contract 15.1)', () => {
    const headers = { 'x-svc-access-key': 'svc_a', 'x-svc-token': 'b:c' };
    expect(pairOfBasic(encoded('svc_a:b:c'))).toEqual({ headers, cookie: undefined });
    expect(pairOfBasic(encoded('svc_a:b:c').replace(/=+$/, ''))).toEqual({ headers, cookie: undefined });
  });

  it.each([
    ['only a user name', encoded('svc_a'), 'half a pair'],
    ['an empty password', encoded('svc_a:'), 'half a pair'],
    ['a broken alphabet', `${encoded('svc_a:b')}!`, 'base64'],
    ['spaces inside', 'c3ZjX2E6 Yg==', 'base64'],
    ['a second spelling of its last digit', 'c3ZjX2E6Yh==', 'base64'],
    ['too many digits', encoded(`svc_a:${'b'.repeat(10_000)}`), 'too long'],
  ])('an Authorization header with Basic is refused with %s (contract 15.1)', (_name, text, reason) => {
    const refused = pairOfBasic(text);
    expect(refused).toBeInstanceOf(Rejected);
    expect((refused as Rejected).reason).toContain(reason);
    expect(() => requirePairOfBasic(text)).toThrow(Refusal);
  });
});

describe('a key pair as Basic', () => {
  const command = (headers: Record<string, string>) =>
    core.authenticator.authenticateCommand({ headers, cookie: undefined }, LOCAL_ORIGIN);
  const own = () => basic(`${pair.accessKey}:${pair.token}`);

  it('a key pair as Basic authenticates commands as the account of the pair (contract 15.1)', () => {
    expect(command({ authorization: own() })).toMatchObject({
      account: { id: ana.id },
      credential: { kind: 'key' },
    });
    expect(command({ authorization: 'Basic dTpw' })).toBeUndefined();
    const foreign = core.addUser('bob', 'Member');
    for (const text of [
      `${pair.accessKey}:x`,
      pair.accessKey,
      `${foreign.accessKey}:${pair.token}`,
      'svc_\u00fc:\u00fc',
    ])
      expect(() => command({ authorization: basic(text) })).toThrow(Refusal);
  });

  it('a key pair as Basic yields to the headers of a pair, even to half of one (contract 15.1)', () => {
    const authorization = own();
    const bob = core.addToken(core.addUser('bob', 'Member')).pair;
    const headers = { 'x-svc-access-key': bob.accessKey ?? '', 'x-svc-token': bob.token ?? '' };
    expect(command({ ...headers, authorization })).toMatchObject({ account: { email: 'bob@lab.test' } });
    for (const half of [{ 'x-svc-access-key': pair.accessKey }, { 'x-svc-token': pair.token }])
      expect(() => command({ ...half, authorization })).toThrow('half a pair');
  });

  it('a key pair as Basic is no credential of an API request, and lifts no origin check (contract 15.1)', async () => {
    const presented = { headers: { authorization: own() }, cookie: undefined };
    expect(() => core.authenticator.authenticate(presented)).toThrow('no credential');
    expect(core.authenticator.liftsOriginCheck(presented)).toBe(false);
    expect(await core.authenticator.inspect(presented, LOCAL_ORIGIN)).toBeUndefined();
  });

  it('a key pair as Basic is found in the cache by its text until its access key or its token ends (contract 15.1)', () => {
    const { cacheUses } = core.authenticator;
    const uses = () => ({ ...cacheUses });
    const authorization = own();
    command({ authorization });
    const { hits, misses } = uses();
    command({ authorization });
    expect(uses()).toEqual({ hits: hits + 1, misses });
    core.arrange.accounts.update(ana.id, { accessKey: 'svc_other' });
    expect(() => command({ authorization })).toThrow(Refusal);
  });

  it('a key pair as Basic costs a further command of a connection no look-up (contract 15.1)', () => {
    const callers = new CommandCallers(core.authenticator);
    const request = { headers: { authorization: own() }, socket: {} };
    const first = callers.recall(request, LOCAL_ORIGIN);
    const { hits, misses } = core.authenticator.cacheUses;
    expect(callers.recall(request, LOCAL_ORIGIN)).toBe(first);
    expect(core.authenticator.cacheUses).toEqual({ hits, misses });
    const foreign = { ...request, headers: { authorization: 'Basic dTpw' } };
    expect(callers.recall(foreign, LOCAL_ORIGIN)).toBeUndefined();
  });
});
