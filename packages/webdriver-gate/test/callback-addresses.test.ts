import { randomBytes } from 'node:crypto';
import { type Account, type Caller, type Stores, scopeSet } from '@svc/auth-core';
import { fakeClock, silentLog } from '@svc/auth-core/testing';
import type { DriverSession } from '@svc/device-lab';
import { OpenConnections } from '@svc/module';
import { beforeEach, describe, expect, it } from 'vitest';
import { CallbackAddresses } from '../src/callbacks/callback-addresses.ts';
import { RunningCommands } from '../src/callbacks/running-commands.ts';

const ID = '0e984725-c51c-4bf4-9960-e1c80e27aba0';
const PREFIX = '/svc-callback/';
const callerOf = (id: string) =>
  ({
    account: { id, role: 'Member' },
    credential: { kind: 'key', id: `token of ${id}`, isPerson: false },
    scopes: scopeSet(['sessions']),
    expiresAt: null,
  }) as unknown as Caller;
const ANA = callerOf('ana');

let running: RunningCommands;
let addresses: CallbackAddresses;
let connections: OpenConnections;
let owner: string | undefined;
let isGood: boolean;
let sessionEnds: (session: DriverSession) => void;

beforeEach(() => {
  running = new RunningCommands();
  owner = 'ana';
  isGood = true;
  let version = 0;
  const accounts = { byId: (id: string) => ({ id, role: 'Member' }) as Account };
  connections = new OpenConnections({
    authenticator: { stillGood: () => isGood },
    // Returns a new version each time, so that every use of an address is checked again.
    stores: { version: () => ++version, accounts } as unknown as Stores,
    clock: fakeClock(),
    log: silentLog(),
  });
  addresses = new CallbackAddresses({
    running,
    connections,
    lab: {
      sessions: { ownerOf: () => owner },
      onEnd: (tell) => {
        sessionEnds = tell;
      },
    },
    random: { bytes: (length) => randomBytes(length), uuid: () => '' },
  });
});

const secretOf = (address: string): string => {
  expect(address).toMatch(/^\/svc-callback\/[\w-]{43}$/);
  return address.slice(PREFIX.length);
};
const found = (address: string) => addresses.find(secretOf(address))?.caller;

describe('a callback address (contract 7)', () => {
  it('a callback address is opened only while a command of the session runs (contract 7)', () => {
    expect(addresses.open(ID)).toBe('');
    const command = running.begin('another', ANA);
    expect(addresses.open(ID)).toBe('');
    running.end(command);
    const own = running.begin(ID, ANA);
    expect(addresses.find(secretOf(addresses.open(ID)))).toMatchObject({ sessionId: ID, caller: ANA });
    running.end(own);
    expect(addresses.open(ID)).toBe('');
  });

  it('a callback address is new each time, and works until the commands that ran when it was opened have ended (contract 7)', () => {
    const first = running.begin(ID, ANA);
    const early = addresses.open(ID);
    const second = running.begin(ID, ANA);
    const late = addresses.open(ID);
    expect(new Set([early, late, addresses.open(ID)]).size).toBe(3);
    running.end(first);
    expect([found(early), found(late)]).toEqual([undefined, ANA]);
    running.end(second);
    expect([found(early), found(late)]).toEqual([undefined, undefined]);
    expect(connections.size).toBe(0);
  });

  it.each(['', 'x', 'A'.repeat(43)])(
    'a callback address is not found by a made-up secret: "%s" (contract 7)',
    (secret) => {
      running.begin(ID, ANA);
      addresses.open(ID);
      expect(addresses.find(secret)).toBeUndefined();
    },
  );

  it.each<[string, () => void]>([
    ['the credential of the caller ends', () => (isGood = false)],
    ['the session belongs to another account', () => (owner = 'ben')],
    ['the session ends', () => sessionEnds({ id: ID } as DriverSession)],
  ])('a callback address ends when %s, though the command runs on (contract 7)', (_what, change) => {
    running.begin(ID, ANA);
    const address = addresses.open(ID);
    expect(found(address)).toBe(ANA);
    change();
    expect(found(address)).toBeUndefined();
    expect(addresses.open(ID)).toBe('');
    expect(connections.size).toBe(0);
  });

  it('a callback address works on for a second command, whose caller has kept the right (contract 7)', () => {
    owner = undefined;
    running.begin(ID, ANA);
    running.begin(ID, callerOf('ben'));
    const address = addresses.open(ID);
    owner = 'ben';
    expect(found(address)).toMatchObject({ account: { id: 'ben' } });
  });

  it('a callback address for a command from the hub is checked by the hub (contract 7)', () => {
    const command = running.begin(ID, 'hub');
    const address = addresses.open(ID);
    isGood = false;
    expect(found(address)).toBe('hub');
    running.end(command);
    expect(found(address)).toBeUndefined();
  });

  it('a callback address is one of at most 100 for each command: a further one closes the oldest (contract 7)', () => {
    running.begin(ID, ANA);
    const opened = Array.from({ length: 101 }, () => addresses.open(ID));
    expect(opened.map((each) => found(each) === ANA)).toEqual(opened.map((_, index) => index > 0));
  });
});

it('a session with very many commands loses its own oldest ones and those of no other session', () => {
  running.begin(ID, ANA);
  const address = addresses.open(ID);
  const flood = Array.from({ length: 10_000 }, () => running.begin('another', ANA));
  expect(found(address)).toBe(ANA);
  expect(running.of('another')).toEqual(flood.slice(5_000));
  expect(addresses.open('another')).not.toBe('');
});
