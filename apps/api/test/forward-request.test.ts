import { type Caller, credentialOfKind, scopeSet } from '@svc/auth-core';
import type { Role, Scope } from '@svc/contract';
import { describe, expect, it } from 'vitest';
import { type RequestToForward, refusalToForward } from '../src/admission/forward-request.ts';

function caller(id: string, role: Role, scopes: Scope[], kind: 'key' | 'sign-in' = 'key'): Caller {
  const credential = credentialOfKind(
    kind,
    `${id} ${kind}`,
    kind === 'key' ? {} : { ownSignIn: `${id} sign-in` },
  );
  const account = { id, role, status: 'Active', teams: [] };
  return { account, credential, scopes: scopeSet(scopes), teamId: null } as unknown as Caller;
}

const ana = caller('ana', 'Member', ['read', 'sessions']);
const reader = caller('ana', 'Member', ['read']);
const admin = caller('adm', 'Admin', ['admin']);
const root = caller('root', 'Super admin', ['read']);
const browser = caller('ana', 'Member', ['read', 'sessions', 'devices'], 'sign-in');
const rootBrowser = caller('root', 'Super admin', ['admin'], 'sign-in');

const drive = (...owners: (string | null | undefined)[]): RequestToForward => ({ kind: 'session', owners });
const NOT_YOURS = 'not_your_session';

describe('forward-request (specification 5.7.2, 5.7.3; contract 3.4, 7)', () => {
  const rows: [string, Caller, RequestToForward, string | null][] = [
    ['the owner drives', ana, drive('ana'), null],
    ['the owner drives whatever the scopes', reader, drive('ana'), null],
    ['a session of someone else', ana, drive('bob'), NOT_YOURS],
    ['a session nobody knows', ana, drive(undefined), NOT_YOURS],
    ['a session without owner', ana, drive(null), NOT_YOURS],
    ['an override admin drives any', admin, drive('bob'), null],
    ['a Super admin drives one without owner', root, drive(null), null],
    ['no admin drives one nobody knows', root, drive(undefined), NOT_YOURS],
    ['every reading counts, the own first', ana, drive('ana', 'bob'), NOT_YOURS],
    ['every reading counts, the own last', ana, drive(undefined, 'ana'), NOT_YOURS],
    ['the cookie drives nothing', browser, drive('ana'), 'unauthenticated'],
    ['nor does that of a Super admin', rootBrowser, drive('ana'), 'unauthenticated'],
    ['a create', ana, { kind: 'create' }, null],
    ['a create without scope', reader, { kind: 'create' }, 'insufficient_scope'],
    ['a create with the cookie', browser, { kind: 'create' }, 'unauthenticated'],
    ["everyone's sessions", ana, { kind: 'listing' }, 'insufficient_scope'],
    ["everyone's sessions, for an override admin", admin, { kind: 'listing' }, null],
    ['the API checks itself', reader, { kind: 'api' }, null],
    ['anything else', browser, { kind: 'other' }, null],
  ];
  it.each(rows)('%s', (_name, who, request, code) => {
    expect(refusalToForward(who, request)?.code ?? null).toBe(code);
  });

  it('unknown and refused differ in the log only (contract 7)', () => {
    const [unknown, others] = [drive(undefined), drive('bob')].map((request) =>
      refusalToForward(ana, request),
    );
    expect({ ...unknown, reason: '' }).toEqual({ ...others, reason: '' });
    expect(unknown?.reason).not.toBe(others?.reason);
  });
});
