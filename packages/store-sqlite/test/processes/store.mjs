// Opens a store for a test, in a process of its own: `node store.mjs <what> <file> [argument]`.
import { randomUUID } from 'node:crypto';
import { openStore } from '@svc/store-sqlite';

const [what, file, argument] = process.argv.slice(2);
const silent = () => undefined;
const log = { debug: silent, info: silent, warn: silent, error: silent };
const clock = { now: () => Date.now() };

const whats = {
  /** Opens the store and closes it. */
  open: () => undefined,

  /** Makes the changes of a break-glass command, given as JSON: `{promote, revoke, end}`. */
  change: (store) => {
    const { promote, revoke, end } = JSON.parse(argument);
    store.transaction((tx) => {
      tx.accounts.update(promote, { role: 'Admin' });
      tx.apiTokens.revoke(revoke);
      tx.signIns.endAllOf(end);
    });
  },

  /** Appends the given number of audit rows. */
  audit: (store) => {
    for (let row = 0; row < Number(argument); row += 1)
      store.transaction((tx) => tx.audit.append(event(`${process.pid} ${row}`, null, row)));
  },

  /** Commits transactions and prints a line after each, until the process is killed. */
  stream: (store) => {
    for (let round = 0; ; round += 1) {
      store.transaction((tx) => {
        const id = `account-${round}`;
        tx.accounts.insert(account(id, round));
        tx.apiTokens.insert(token(id, round), `hash-${round}`);
        tx.audit.append(event('user_created', id, round));
        if (round > 0) tx.apiTokens.revoke(`token-of-account-${round - 1}`);
        if (round > 0) tx.audit.append(event('authn_token_revoked', `account-${round - 1}`, round));
      });
      store.apiTokens.touch(`token-of-account-${round}`, round);
      process.stdout.write(`${round}\n`);
    }
  },
};

if (what === 'open') process.stdout.write('opening\n');
const store = await openStore({ file, clock, log, autoMigrate: true });
whats[what](store);
store.close();

function event(name, target, at) {
  return {
    id: randomUUID(),
    at,
    event: name,
    outcome: 'success',
    actor: null,
    target,
    address: null,
    peer: null,
    requestId: null,
    reason: null,
  };
}

function account(id, createdAt) {
  return {
    id,
    email: `${id}@svc.local`,
    name: id,
    role: 'Member',
    status: 'Active',
    accessKey: `svc_${id}`,
    passwordHash: null,
    temporaryPasswordUntil: null,
    defaultPassword: false,
    createdAt,
  };
}

function token(ownerId, createdAt) {
  return {
    id: `token-of-${ownerId}`,
    ownerId,
    kind: 'profile',
    name: 'ci',
    scopes: 1,
    rateLimit: 300,
    teamId: null,
    createdAt,
    expiresAt: null,
    lastUsedAt: null,
  };
}
