import { Audit, ancestorsOf, type Caller, Cascade, NO_CREDENTIAL, scopeSet } from '@svc/auth-core';
import { sampleAccount, seededRandom, silentLog } from '@svc/auth-core/testing';
import { memoryStores } from '@svc/store-sqlite/testing';
import { expect, it } from 'vitest';
import { AgentDirectory } from '../src/agents/agent-directory.ts';
import type { DriverSession } from '../src/driver-session.ts';

type Tools = ConstructorParameters<typeof AgentDirectory>[0];
type Started = Parameters<Parameters<Tools['lab']['onStart']>[0]>;

const UNTIL = 1_000_000;

/** Creates a directory of agents over a fake lab that only records its sessions. */
function world() {
  const clock = { now: () => 0 };
  const stores = memoryStores();
  const owner = sampleAccount('boss', { role: 'Super admin' });
  stores.transaction((tx) => tx.accounts.insert(owner));
  const running: DriverSession[] = [];
  const ended: string[] = [];
  let started: ((...args: Started) => void) | undefined;
  const lab = {
    sessions: { running: () => running },
    onStart: (listener: typeof started) => {
      started = listener;
    },
    endSession: async (id: string) => void ended.push(id),
    agentLimits: { excessOf: () => null, usedMs: () => 0, countLeases: () => undefined },
    heldLeases: { sweep: () => undefined, ofAgents: () => [] },
  } as unknown as Tools['lab'];
  const audit = new Audit(stores, clock, seededRandom(1));
  const cascade = new Cascade({ clock, always: false, mcpLifetime: 3600 });
  const directory = new AgentDirectory({ lab, stores, audit, cascade, clock, log: silentLog() });
  const callerOf = (parents: readonly string[]): Caller => ({
    account: stores.accounts.byId(owner.id) as Caller['account'],
    credential: {
      ...NO_CREDENTIAL,
      id: 'agent',
      parents,
      agent: { id: 'agent', sessions: null, minutes: null, mcpScopes: [] },
    },
    scopes: scopeSet(['admin']),
    expiresAt: UNTIL,
    grantsUntil: UNTIL,
    teamId: null,
    extended: false,
    from: { address: null, peer: null, requestId: null },
  });
  /** Runs a session whose create-session request had a token of the agent with these parents. */
  const run = (parents: readonly string[]) => {
    const session = { id: 's1', ownerId: owner.id, agent: { id: 'agent', until: UNTIL, minutes: null } };
    running.push(session as unknown as DriverSession);
    started?.(session as unknown as Started[0], { caller: callerOf(parents) } as unknown as Started[1]);
  };
  const revoke = (id: string) =>
    stores.transaction((tx) =>
      tx.revocations.add({ id, accountId: owner.id, cascades: true, expiresAt: UNTIL, sourceId: null }),
    );
  return { directory, ended, run, revoke, stores, callerOf, caller: callerOf([]) };
}

it('the lab ends the sessions of an agent when a credential is revoked from which its token was minted (contract 10.4, 12)', async () => {
  const { directory, ended, run, revoke } = world();
  run(['key-1']);
  directory.sweep();
  expect(ended).toEqual([]);
  revoke('key-1');
  directory.sweep();
  expect(ended).toEqual(['s1']);
});

it('stopping every agent ends also sessions of agents that are no longer listed (contract 12)', async () => {
  const { directory, ended, run, revoke, caller } = world();
  directory.note({ ...caller, credential: { ...caller.credential, parents: ['key-1'] } }, null);
  run([]);
  revoke('key-1');
  expect([...directory.read(caller)]).toEqual([]);
  await directory.stopAll(caller);
  expect(ended).toEqual(['s1']);
});

it('an account that stops more agents than it may have records keeps few of them, and no stop is refused (contract 4, 12)', async () => {
  const { directory, ended, run, stores, callerOf } = world();
  const caller = callerOf(ancestorsOf({ aud: 'svc-rest', sub: sampleAccount('boss').id, parents: [] }));
  const { id: accountId } = caller.account;
  stores.transaction((tx) => {
    const row = { accountId, cascades: false, expiresAt: UNTIL, sourceId: null };
    for (let at = 0; at < 100_000; at += 1) tx.revocations.add({ ...row, id: `old-${at}` });
  });
  run(caller.credential.parents);
  directory.note(caller, null);
  await directory.stop(caller, 'agent');
  expect(ended).toEqual(['s1']);
  expect([...directory.read(caller)]).toEqual([]);
  expect(stores.revocations.countOf(accountId)).toEqual({ tokens: 0, credentials: 0 });
});

it('one account with more than 1,000 agents hides no agent of another account, which can still be stopped (contract 4, 12)', async () => {
  const { directory, caller, stores } = world();
  const member = sampleAccount('member');
  stores.transaction((tx) => tx.accounts.insert(member));
  const noted = (account: Caller['account'], id: string) =>
    directory.note(
      {
        ...caller,
        account,
        credential: { ...caller.credential, agent: { id, sessions: null, minutes: null, mcpScopes: [] } },
      },
      null,
    );
  noted(caller.account, 'of the boss');
  for (let at = 0; at < 1_500; at += 1)
    noted(stores.accounts.byId(member.id) as Caller['account'], `flood ${at}`);
  expect([...directory.read(caller)].length).toBe(1_000);
  await directory.stop(caller, 'of the boss');
  expect(() => directory.seen(caller, 'of the boss')).toThrow(expect.objectContaining({ code: 'not_found' }));
  expect(directory.seen(caller, 'flood 1499').id).toBe('flood 1499');
});

it('an agent that has only sent requests with a bearer it minted is listed, with the scopes of its token (contract 4)', () => {
  const { directory, revoke, caller, callerOf } = world();
  const { credential } = callerOf(['key-1', 'agent', 'rest-1', 'bearers-owner-1']);
  const agent = { id: 'agent', sessions: 2, minutes: null, mcpScopes: ['svc:devices:read'] as const };
  directory.note({ ...caller, credential: { ...credential, id: 'rest-2', agent } }, null);
  const shown = { id: 'agent', scopes: ['svc:devices:read'], limits: { sessions: 2, minutes: null } };
  expect([...directory.read(caller)]).toMatchObject([shown]);
  revoke('rest-1');
  expect([...directory.read(caller)]).toMatchObject([shown]);
  revoke('key-1');
  expect([...directory.read(caller)]).toEqual([]);
});

it('stopping an agent lasts as long as its token can, although a bearer that ends earlier was seen (contract 4, 12)', async () => {
  const { directory, stores, caller, callerOf } = world();
  directory.note({ ...caller, expiresAt: 1_000, credential: callerOf(['agent']).credential }, null);
  await directory.stop(caller, 'agent');
  const ends = stores.revocations.all().map(({ id, expiresAt }) => [id, expiresAt]);
  expect(ends).toEqual([['agent', 12 * 60 * 60 * 1000]]);
});
