import type { AccountStores, AccountTransaction } from '@svc/accounts';
import { type ScopeSet, scopeSet } from '@svc/auth-core';
import {
  autocommit,
  hashOf,
  idOf,
  sampleAccount,
  sampleApiToken,
  sampleEntry,
  sampleSignIn,
} from '@svc/auth-core/testing';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { SqliteStore } from '../src/index.ts';
import { sampleResetLink } from '../src/testing/account-rows.ts';
import { memoryStores } from '../src/testing/index.ts';
import { newPlace } from './place.ts';

/** Function of a step. `tx` is the transaction that the step is part of, or one that commits each write separately. */
type Run = (tx: AccountTransaction, stores: AccountStores) => unknown;

/** One random step, which runs on both stores. If a run fails, fast-check prints the step's text. */
class Step {
  readonly text: string;
  readonly run: Run;

  constructor(text: string, run: Run) {
    this.text = text;
    this.run = run;
  }

  [fc.toStringMethod](): string {
    return this.text;
  }
}

const who = fc.constantFrom('ann', 'bob', 'cy');
const key = fc.constantFrom('key-1', 'key-2', 'key-3');
const web = fc.constantFrom('web-1', 'web-2', 'web-3');
const team = fc.constantFrom('lab', 'zoo');
const time = fc.integer({ min: 0, max: 200_000 });
const scopes = fc.subarray(['read', 'sessions', 'devices', 'admin'] as const).map((list) => scopeSet(list));

function step<T extends unknown[]>(
  name: string,
  run: (tx: AccountTransaction, ...values: T) => unknown,
  ...values: { [K in keyof T]: fc.Arbitrary<T[K]> }
): fc.Arbitrary<Step> {
  return fc
    .tuple<T>(...values)
    .map((drawn) => new Step(`${name}(${fc.stringify(drawn)})`, (tx) => run(tx, ...drawn)));
}

const change: fc.Arbitrary<Parameters<AccountTransaction['accounts']['update']>[1]> = fc.record(
  {
    name: fc.string(),
    role: fc.constantFrom('Member' as const, 'Admin' as const),
    status: fc.constantFrom('Active' as const, 'Inactive' as const),
    accessKey: fc.constantFrom('svc_ann', 'svc_x', 'svc_y'),
    passwordHash: fc.constantFrom('h1', 'h2'),
    temporaryPasswordUntil: fc.option(time),
    lastSignInAt: time,
    signInEpoch: fc.nat(9),
    sparedSignIn: fc.option(fc.string()),
  },
  { requiredKeys: [] },
);

const accountSteps = [
  step(
    'account',
    ({ accounts }, name, createdAt) => accounts.insert(sampleAccount(name, { createdAt })),
    who,
    time,
  ),
  step('update', ({ accounts }, name, to) => accounts.update(idOf(name), to), who, change),
  step('remove', ({ accounts }, name) => accounts.remove(idOf(name)), who),
  step('team', ({ teams }, id, name) => teams.insert({ id, name }), team, fc.constantFrom('A', 'B')),
  step('remove team', ({ teams }, id) => teams.remove(id), team),
  step('join', ({ teams }, id, name) => teams.addMember(id, idOf(name)), team, who),
  step('leave', ({ teams }, id, name) => teams.removeMember(id, idOf(name)), team, who),
];

const credentialSteps = [
  step(
    'api token',
    ({ apiTokens }, name, owner, rest) => apiTokens.insert(sampleApiToken(name, owner, rest), hashOf(name)),
    key,
    who,
    fc.record({ createdAt: time, scopes, teamId: fc.option(team), lastUsedAt: fc.option(time) }),
  ),
  step('revoke', ({ apiTokens }, name) => apiTokens.revoke(idOf(name)), key),
  step('rate', ({ apiTokens }, name, rate) => apiTokens.setRateLimit(idOf(name), rate), key, fc.nat(9)),
  step('touch', ({ apiTokens }, name, at) => apiTokens.touch(idOf(name), at), key, time),
  step(
    'sign in',
    ({ signIns }, name, account, token, rest) =>
      signIns.insert(
        sampleSignIn(name, account, { ...rest, apiTokenId: token && idOf(token) }),
        hashOf(name),
      ),
    web,
    who,
    fc.option(key),
    fc.record({
      createdAt: time,
      expiresAt: time,
      scopes: fc.option<ScopeSet>(scopes),
      until: fc.option(time),
      teamId: fc.option(team),
      provenAt: fc.option(time),
      openedWith: fc.array(fc.uuid({ version: 4 }), { maxLength: 3 }),
    }),
  ),
  step('prove', ({ signIns }, name, at) => signIns.prove(idOf(name), at), web, time),
  step('extend', ({ signIns }, name, seen, end) => signIns.extend(idOf(name), seen, end), web, time, time),
  step('end', ({ signIns }, name) => signIns.end(idOf(name)), web),
  step(
    'end all',
    ({ signIns }, name, except) =>
      signIns.endAllOf(idOf(name), except === null ? undefined : idOf(except)).sort(),
    who,
    fc.option(web),
  ),
  step('link', ({ resetLinks }, name) => resetLinks.insert(sampleResetLink(name, name), hashOf(name)), who),
  step('cancel', ({ resetLinks }, name) => resetLinks.cancelAllOf(idOf(name)), who),
];

const otherSteps = [
  step(
    'audit',
    ({ audit }, id, event, at) => audit.append(sampleEntry(event, { id, at, reason: event })),
    fc.uuid({ version: 4 }),
    fc.string({ unit: 'binary' }),
    time,
  ),
  step('spend', ({ replay }, id, end) => replay.spend(id, end), web, time),
  step(
    'revoke signed',
    ({ revocations }, name, cascades, expiresAt) =>
      revocations.add({
        id: idOf(name),
        accountId: idOf('ann'),
        cascades,
        expiresAt,
        sourceId: cascades ? null : idOf('jti'),
      }),
    web,
    fc.boolean(),
    time,
  ),
  step('save', ({ settings }, name, value) => settings.save(new Map([[name, value]])), web, fc.jsonValue()),
  step(
    'expire',
    ({ signIns, resetLinks, replay, revocations }, now) => {
      for (const store of [signIns, resetLinks, replay, revocations]) store.removeExpired(now);
    },
    time,
  ),
  fc.constant(new Step('flush', (_, stores) => (stores as Partial<SqliteStore>).flush?.())),
];

const single = fc.oneof(...accountSteps, ...credentialSteps, ...otherSteps);

/** Generates transactions of random steps. Some of the transactions fail at their end. */
const transaction = (inner: fc.Arbitrary<Step>): fc.Arbitrary<Step> =>
  fc.tuple(fc.array(inner, { maxLength: 6 }), fc.boolean()).map(
    ([steps, fails]) =>
      new Step(
        `transaction[${steps.map(({ text }) => text).join(', ')}${fails ? ', fail' : ''}]`,
        (_, stores) =>
          stores.transaction((tx) => {
            const seen = steps.map((each) => [outcome(each, stores, tx), observed(stores)]);
            if (fails) throw new Error('fails on purpose');
            return seen;
          }),
      ),
  );

const steps = fc.array(
  fc.oneof({ weight: 4, arbitrary: single }, { weight: 1, arbitrary: transaction(single) }),
  { maxLength: 25 },
);

function outcome(each: Step, stores: AccountStores, tx = autocommit(stores)): unknown {
  try {
    return each.run(tx, stores) ?? 'nothing';
  } catch (error) {
    return error instanceof Error ? error.name : error;
  }
}

/** Adds initial rows, so that most random steps find something to work on. */
function furnish(stores: AccountStores): void {
  const { accounts, teams, apiTokens, signIns } = autocommit(stores);
  for (const name of ['ann', 'bob']) accounts.insert(sampleAccount(name));
  teams.insert({ id: 'lab', name: 'A' });
  teams.addMember('lab', idOf('ann'));
  apiTokens.insert(sampleApiToken('key-1', 'ann', { teamId: 'lab' }), hashOf('key-1'));
  apiTokens.insert(sampleApiToken('key-2', 'bob'), hashOf('key-2'));
  signIns.insert(sampleSignIn('web-1', 'ann', { apiTokenId: idOf('key-1') }), hashOf('web-1'));
  signIns.insert(sampleSignIn('web-2', 'bob'), hashOf('web-2'));
}

/** @returns the whole audit trail, and for each of its rows the page that ends before the row */
function auditOf({ audit }: AccountStores): unknown {
  const rows = audit.page(null, 100);
  return [rows, rows.map(({ id }) => audit.page(id, 2)), audit.check()];
}

/** @returns everything that a caller can read from the stores */
function observed(stores: AccountStores): unknown {
  const names = ['ann', 'bob', 'cy'];
  const tokens = ['key-1', 'key-2', 'key-3'];
  const cookies = ['web-1', 'web-2', 'web-3'];
  return {
    accounts: stores.accounts.list(),
    byId: names.map((name) => stores.accounts.byId(idOf(name))),
    byKey: ['svc_ann', 'svc_bob', 'svc_x', 'svc_y'].map((name) => stores.accounts.byAccessKey(name)),
    byEmail: names.map((name) => stores.accounts.byEmail(`${name.toUpperCase()}@svc.local`)?.id),
    passwords: names.map((name) => stores.accounts.passwordHash(idOf(name))),
    active: [stores.accounts.countActive('Admin'), stores.accounts.oldestActive('Member')],
    teams: stores.teams.list(),
    members: ['lab', 'zoo'].map((id) => [stores.teams.membersOf(id), stores.apiTokens.countOfTeam(id)]),
    tokens: [stores.apiTokens.listAll(), names.map((name) => stores.apiTokens.listOf(idOf(name)))],
    tokensFound: tokens.map((name) => [
      stores.apiTokens.byHash(hashOf(name)),
      stores.apiTokens.byId(idOf(name)),
    ]),
    signIns: names.map((name) => stores.signIns.listOf(idOf(name))),
    signInsFound: cookies.map((name) => [
      stores.signIns.byHash(hashOf(name)),
      stores.signIns.byId(idOf(name)),
    ]),
    links: names.map((name) => stores.resetLinks.byHash(hashOf(name))),
    audit: auditOf(stores),
    replay: cookies.map((id) => stores.replay.isSpent(id)),
    settings: [...stores.settings.all()],
  };
}

/** Writes what is pending and empties the caches, so that the next read of every row is one of its table. */
function forget(stores: SqliteStore): void {
  stores.flush();
  // A transaction that is rolled back empties the caches.
  const undone = () =>
    stores.transaction(({ settings }) => {
      settings.save(new Map([['undone', true]]));
      throw new Error('fails on purpose');
    });
  expect(undone).toThrow('on purpose');
}

it('the stores with their caches and pending writes answer as their tables do, whatever is done to them', {
  timeout: 60_000,
}, async () => {
  await fc.assert(
    fc.asyncProperty(steps, fc.integer({ min: 1, max: 5 }), async (list, size) => {
      const place = newPlace();
      try {
        const plain = memoryStores();
        const sizes = { accounts: size, apiTokens: size, signIns: size };
        const cached = await place.open({ cacheSizes: sizes });
        for (const stores of [plain, cached]) furnish(stores);
        for (const each of list) {
          expect(outcome(each, cached)).toEqual(outcome(each, plain));
          forget(plain);
          expect(observed(cached)).toEqual(observed(plain));
        }
        cached.close();
        forget(plain);
        expect(observed(await place.open())).toEqual(observed(plain));
      } finally {
        place.remove();
      }
    }),
    { numRuns: 40 },
  );
});
