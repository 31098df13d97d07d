import { memoryStores } from '@svc/store-sqlite/testing';
import fc from 'fast-check';
import { beforeAll, beforeEach, describe, expect, it, test } from 'vitest';
import { LOCAL_ORIGIN } from '../src/audit.ts';
import { type Account, type Caller, NO_CREDENTIAL } from '../src/principal.ts';
import { ALL_SCOPES } from '../src/scopes.ts';
import { type Core, credentialOf, KINDS, type Kind, setUpCore } from '../src/testing/core.ts';
import { type Installation, installation } from '../src/testing/signing.ts';
import { refusalOfAsync } from '../src/testing/support.ts';
import { Tickets, type TicketUse } from '../src/tickets/tickets.ts';
import { TokenSigner } from '../src/tokens/signer.ts';

const PHONE: TicketUse = { audience: 'svc-stream', resource: 'phone-1' };
const EVENTS: TicketUse = { audience: 'svc-events', resource: null };

let here: Installation;
let core: Core;
let user: Account;

beforeAll(async () => {
  here = await installation();
});

beforeEach(() => {
  core = setUpCore(here.ring, memoryStores());
  user = core.addUser('ana', 'Admin');
});

/** Creates tickets as after a restart, with the same stores and key but empty caches. */
function tickets({ authDisabled = false } = {}): Tickets {
  const signer = new TokenSigner(here.ring, core.clock, core.random, 'svc');
  return new Tickets({ ...core, signer, authDisabled });
}

async function callerBy(kind: Kind): Promise<Caller> {
  return core.verify(await credentialOf(core, user, kind));
}

function refusedNow(ticket: string | undefined, use: TicketUse = PHONE) {
  return refusalOfAsync(() => tickets().check(ticket, use, LOCAL_ORIGIN));
}

describe.each(KINDS)('asked for with %s (spec 2 Tickets, contract 4 tickets)', (kind) => {
  it('a ticket opens what it is for, once, also across a restart (spec 3 Ticket)', async () => {
    const { ticket, expiresIn } = await tickets().issue(await callerBy(kind), PHONE);
    expect(expiresIn).toBe(60);
    const checked = await tickets().check(ticket, PHONE, LOCAL_ORIGIN);
    expect(checked.caller.account).toEqual(core.stores.accounts.byId(user.id));
    tickets().spend(checked);
    expect(() => tickets().spend(checked)).toThrow(expect.objectContaining({ code: 'invalid ticket' }));
    expect((await refusedNow(ticket)).code).toBe('invalid ticket');
  });

  it('a ticket opens the same where it was issued and after a restart (spec 2 Tickets, contract 4 tickets)', async () => {
    const issuing = tickets();
    const { ticket } = await issuing.issue(await callerBy(kind), PHONE);
    const checked = await issuing.check(ticket, PHONE, LOCAL_ORIGIN);
    expect(checked).toEqual(await tickets().check(ticket, PHONE, LOCAL_ORIGIN));
    tickets().spend(checked);
    const refusal = await refusalOfAsync(() => issuing.check(ticket, PHONE, LOCAL_ORIGIN));
    expect(refusal.reason).toBe('ticket: spent');
  });

  it('one of many at once gets through', async () => {
    const { ticket } = await tickets().issue(await callerBy(kind), PHONE);
    const all = await Promise.all(
      Array.from({ length: 50 }, () => tickets().check(ticket, PHONE, LOCAL_ORIGIN)),
    );
    const spent = all.filter((each) => {
      try {
        tickets().spend(each);
        return true;
      } catch {
        return false;
      }
    });
    expect(spent).toHaveLength(1);
  });

  it('shown for something else it is refused and not spent', async () => {
    const { ticket } = await tickets().issue(await callerBy(kind), PHONE);
    for (const use of [{ ...PHONE, resource: 'phone-2' }, EVENTS, { ...PHONE, resource: null }]) {
      expect((await refusedNow(ticket, use)).code).toBe('invalid ticket');
    }
    tickets().spend(await tickets().check(ticket, PHONE, LOCAL_ORIGIN));
  });

  it("a ticket ends with its account, and has the account's current role and scopes (spec 2 Tickets, contract 4 tickets)", async () => {
    const { ticket } = await tickets().issue(await callerBy(kind), PHONE);
    core.arrange.accounts.update(user.id, { role: 'Member' });
    const { caller } = await tickets().check(ticket, PHONE, LOCAL_ORIGIN);
    expect(caller.account.role).toBe('Member');
    expect(caller.scopes & ~(await callerBy('sign-in')).scopes).toBe(0);
    core.arrange.accounts.update(user.id, { status: 'Inactive' });
    expect((await refusedNow(ticket)).code).toBe('invalid ticket');
    core.arrange.accounts.remove(user.id);
    expect((await refusedNow(ticket)).code).toBe('invalid ticket');
  });

  it('a ticket has no scopes beyond the current ones of its credential, and all of a sign-in (specification 6, contract 3.2)', async () => {
    core.arrange.accounts.update(user.id, { role: 'Member' });
    const shown = await credentialOf(core, user, kind);
    const { ticket } = await tickets().issue(await core.verify(shown), EVENTS);
    for (const role of ['Member', 'Admin', 'Super admin', 'Member', 'Admin'] as const) {
      core.arrange.accounts.update(user.id, { role });
      const { scopes } = await core.verify(shown);
      const now = (await tickets().check(ticket, EVENTS, LOCAL_ORIGIN)).caller.scopes;
      if (kind === 'sign-in') expect(now).toBe(scopes);
      // For a key, the ticket may have fewer scopes than the key, because a ticket that a Member requested keeps a
      // Member's scopes.
      expect(now & ~scopes).toBe(0);
    }
  });
});

describe('a ticket ends with the credential that asked (contract 2, tickets)', () => {
  const ENDINGS: [string, Kind, () => void][] = [
    [
      'key revoked',
      'key',
      () => core.stores.apiTokens.listOf(user.id).map(({ id }) => core.arrange.apiTokens.revoke(id)),
    ],
    ['access key rotated', 'key', () => core.arrange.accounts.update(user.id, { accessKey: 'svc_new' })],
    [
      'password set anew',
      'bearer of a sign-in',
      () => core.arrange.accounts.update(user.id, { signInEpoch: 1 }),
    ],
    ['signed out', 'sign-in', () => core.arrange.signIns.endAllOf(user.id)],
  ];

  test.each(ENDINGS)('%s', async (_, kind, end) => {
    const { ticket } = await tickets().issue(await callerBy(kind), PHONE);
    end();
    expect((await refusedNow(ticket)).reason).toBe('ticket: its credential has ended');
  });

  it('the lifetime of a ticket is the shorter of its own and its credential’s, in whole seconds (contract 4)', async () => {
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 0, max: 90_000 }), async (leftMs) => {
        const caller = { ...(await callerBy('sign-in')), grantsUntil: core.clock.now() + leftMs };
        const seconds = Math.min(60, Math.floor(leftMs / 1000));
        if (seconds < 1) {
          const refusal = await refusalOfAsync(() => tickets().issue(caller, PHONE));
          expect(refusal.code).toBe('expiry_exceeds_credential');
          return;
        }
        const { ticket, expiresIn } = await tickets().issue(caller, PHONE);
        expect(expiresIn).toBe(seconds);
        await tickets().check(ticket, PHONE, LOCAL_ORIGIN);
        core.clock.advance(seconds * 1000);
        expect((await refusedNow(ticket)).reason).toBe('ticket: expired');
      }),
      { numRuns: 12 },
    );
  });
});

describe('with sign-in off (specification 5.8.3, 5.12)', () => {
  it('tickets are issued without a credential, and mean nothing once it is on again', async () => {
    const caller = { ...(await callerBy('sign-in')), credential: NO_CREDENTIAL, scopes: ALL_SCOPES };
    const off = tickets({ authDisabled: true });
    const { ticket } = await off.issue(caller, EVENTS);
    expect((await off.check(ticket, EVENTS, LOCAL_ORIGIN)).caller.credential).toBe(NO_CREDENTIAL);
    expect((await refusedNow(ticket, EVENTS)).code).toBe('invalid ticket');
  });
});

describe('nothing but a ticket is one (contract 4, audiences)', () => {
  it('no ticket, no text, a bearer token, a ticket as a bearer token', async () => {
    const caller = await callerBy('key');
    const { ticket } = await tickets().issue(caller, EVENTS);
    const { bearer } = await credentialOf(core, user, 'bearer of a key');
    for (const text of [undefined, '', 'x', `${ticket}x`, bearer]) {
      expect((await refusedNow(text, EVENTS)).code).toBe('invalid ticket');
    }
    const shown = { accessKey: undefined, token: undefined, bearer: ticket, cookie: undefined };
    const asBearer = await refusalOfAsync(() => core.authenticator.authenticate(shown));
    expect(asBearer.code).toBe('invalid token');
  });
});
