import { type Caller, scopeSet } from '@svc/auth-core';
import { callerOf } from '@svc/auth-core/testing';
import { MCP_SCOPES, type McpScope, type Role, type Scope } from '@svc/contract';
import { isListed, maySeeDevice, refusalToDrive, refusalToSee } from '@svc/device-lab';
import { describe, expect, it } from 'vitest';
import { type Checked, decideCreate } from '../src/decide-create.ts';

function caller(
  id: string,
  role: Role,
  scopes: Scope[],
  teams: string[] = [],
  teamId: string | null = null,
): Caller {
  const account = { id, role, status: 'Active', teams: teams.map((team) => ({ id: team, name: team })) };
  const credential = { mcpScopes: null, agent: null };
  return { account, scopes: scopeSet(scopes), teamId, credential } as unknown as Caller;
}

const ana = caller('ana', 'Member', ['read', 'sessions']);
const reader = caller('ana', 'Member', ['read']);
const admin = caller('adm', 'Admin', ['admin']);
const profileAdmin = caller('adm', 'Admin', ['read', 'sessions', 'devices']);
const root = caller('root', 'Super admin', ['read']);

describe('create-session (specification 5.4, 5.4.2, 5.4.3, 5.4.4, 5.7)', () => {
  const LACKS = 'credentials are invalid, revoked, or lack the sessions scope';
  const NO_SCOPE = /^session rejected: svc:options\.sessionToken carries no sessions scope/;
  const INVALID = /^session rejected: svc:options\.sessionToken is invalid or expired/;
  const NONE =
    /^session rejected: SVC_REQUIRE_SESSION_TOKEN is enabled and the session presented no valid credentials/;
  const rows: [string, Checked, Checked, unknown, unknown][] = [
    // Columns: name, key pair, session token, result if credentials are optional, and result if they are required.
    ['a valid pair decides alone', ana, reader, 'ana', 'ana'],
    ['admin stands for sessions', admin, 'absent', 'adm', 'adm'],
    ['a pair without scope', reader, 'absent', LACKS, LACKS],
    ['a pair without scope, though a session token is fine', reader, ana, LACKS, LACKS],
    ['an invalid pair, a valid session token', 'invalid', ana, 'ana', 'ana'],
    ['a session token without scope', 'absent', reader, NO_SCOPE, NO_SCOPE],
    ['nothing', 'absent', 'absent', 'ownerless', NONE],
    ['an invalid pair', 'invalid', 'absent', 'ownerless', NONE],
    ['an invalid session token', 'absent', 'invalid', 'ownerless', INVALID],
    ['both invalid', 'invalid', 'invalid', 'ownerless', INVALID],
  ];
  it.each(rows)('%s', (_name, pair, sessionToken, lax, strict) => {
    for (const [credentialsRequired, expected] of [
      [false, lax],
      [true, strict],
    ] as const) {
      const decision = decideCreate({ credentialsRequired, pair, sessionToken });
      if (expected === 'ownerless') expect(decision.kind).toBe('ownerless');
      else if (decision.kind === 'owner') expect(decision.caller.account.id).toBe(expected);
      else if (decision.kind === 'deny') {
        if (expected instanceof RegExp) expect(decision.message).toMatch(expected);
        else expect(decision.message).toBe(expected);
      } else expect.fail('an owner was expected');
    }
  });
});

describe('drive-session (specification 5.7.3)', () => {
  it.each([
    ['its owner', ana, 'ana', true],
    ['its owner, without any scope for it', reader, 'ana', true],
    ['somebody else', ana, 'bob', false],
    ['nobody owns it', ana, null, false],
    ['holder of admin', admin, 'bob', true],
    ['holder of admin, ownerless', admin, null, true],
    ["an Admin's Profile token", profileAdmin, 'bob', false],
    ["an Admin's Profile token, ownerless", profileAdmin, null, false],
    ['Super admin, whatever the scopes', root, 'bob', true],
    ['Super admin, ownerless', root, null, true],
    ['Super admin, unknown', root, undefined, false],
    ['holder of admin, unknown', admin, undefined, false],
  ] as const)('%s', (_name, who, owner, allowed) => {
    expect(refusalToDrive(who, owner) === null).toBe(allowed);
    expect(isListed(who, owner)).toBe(allowed);
  });
  it('nobody is shown nothing', () => expect(isListed(null, null)).toBe(false));
});

describe('phones (contract 3.5, spec 5.4.2)', () => {
  const member = caller('ana', 'Member', ['sessions'], ['a', 'b']);
  const bound = caller('ana', 'Member', ['sessions'], ['a', 'b'], 'b');
  const left = caller('ana', 'Member', ['sessions'], ['a'], 'b');
  it.each([
    [null, null, true],
    [null, 'a', false],
    [member, null, true],
    [member, 'a', true],
    [member, 'c', false],
    [bound, 'a', false],
    [bound, 'b', true],
    [bound, null, true],
    [left, 'b', false],
    [admin, 'c', true],
    [root, 'c', true],
  ] as const)('%#', (who, team, seen) => expect(maySeeDevice(who, team)).toBe(seen));
});

describe('the sessions of an agent', () => {
  const agentWith = (mcpScopes: readonly McpScope[], audience: 'svc-mcp' | 'svc-rest') => {
    const caller = callerOf('Member', ['read', 'sessions']);
    const agent = { id: 'a', sessions: null, minutes: null, mcpScopes };
    const credential = { ...caller.credential, agent, mcpScopes: audience === 'svc-mcp' ? mcpScopes : null };
    return { ...caller, credential };
  };

  it.each(['svc-mcp', 'svc-rest'] as const)(
    'an agent drives the sessions of its account only with the scope auto:use, also with its %s token (contract 4, 12)',
    (audience) => {
      const scopes = MCP_SCOPES.filter((scope) => scope !== 'auto:use');
      const without = agentWith(scopes, audience);
      const { id } = without.account;
      expect(refusalToDrive(without, id)).toBe('the agent lacks the scope auto:use');
      expect([refusalToSee(without, id), isListed(without, id)]).toEqual([null, true]);
      const whole = agentWith(['auto:use'], audience);
      expect(refusalToDrive(whole, id)).toBe(null);
      expect(refusalToDrive(whole, 'someone else')).toBe('the session belongs to someone else');
    },
  );
});
