import { MCP_SCOPES, type McpScope, SCOPES, type Scope } from '@svc/contract';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { signedCredential } from '../src/credentials/signed-credential.ts';
import { refuseAgents } from '../src/policy/agent-limits.ts';
import { bearerGrant } from '../src/policy/issue-bearer.ts';
import { scopeList, scopeSet } from '../src/scopes.ts';
import { callerOf, outcomeOf, refusalOf, subsetsOf } from '../src/testing/support.ts';

/** Table of specification 5.3.4. Rows are API scopes, and columns are the MCP scopes that they allow. */
const GRID = `
             auto:use  svc:devices:read  svc:devices:lock  svc:analytics:read  svc:recordings
  read       -         x                 -                 x                   -
  sessions   x         -                 -                 -                   x
  devices    -         x                 x                 -                   x
  admin      x         x                 x                 x                   x
`;

const [columns, ...rows] = GRID.trim()
  .split('\n')
  .map((line) => line.trim().split(/\s+/));

function gridAllows(held: readonly Scope[], wanted: McpScope): boolean {
  const column = (columns as string[]).indexOf(wanted) + 1;
  return rows.some(([scope, ...cells]) => held.includes(scope as Scope) && cells[column - 1] === 'x');
}

/** @returns the result that specification 5.3.4 to 5.3.6 and 2 (Session token) require for a request */
function expected(held: readonly Scope[], asked: readonly McpScope[]) {
  const omitted = asked.length === 0;
  const wanted = omitted
    ? (['auto:use', 'svc:devices:read'] as const).filter((scope) => gridAllows(held, scope))
    : asked;
  if (wanted.length === 0 || wanted.some((scope) => !gridAllows(held, scope))) return 'scope_exceeds_key';
  const has = (scope: McpScope) => wanted.some((one) => one === scope);
  const admin = held.includes('admin');
  const allFive = asked.length === 5;
  const api: Record<Scope, boolean> = {
    read: false,
    sessions: has('auto:use'),
    devices: has('svc:devices:lock'),
    admin: admin && allFive,
  };
  return {
    listed: MCP_SCOPES.filter(has),
    api: SCOPES.filter((scope) => api[scope]),
    session: has('auto:use') ? (admin && (omitted || allFive) ? ['sessions', 'admin'] : ['sessions']) : null,
  };
}

function granted(held: Scope[], scopes: readonly string[] | undefined) {
  return outcomeOf(() => {
    const grant = bearerGrant({ audience: 'svc-mcp', scopes }, callerOf('Super admin', held));
    expect(grant.mcpScopes).toEqual(grant.listed);
    return {
      listed: grant.listed,
      api: scopeList(grant.apiScopes),
      session: grant.sessionScopes === null ? null : scopeList(grant.sessionScopes),
    };
  });
}

describe('svc-mcp', () => {
  const everyCell = subsetsOf(SCOPES).flatMap((held) =>
    subsetsOf(MCP_SCOPES).map((asked) => ({ held, asked })),
  );

  it('svc-mcp gives what the clause says in all 16 x 32 cells (spec 5.3.4, 5.3.5, 2 MCP scopes, 2 Session token)', () => {
    expect(everyCell).toHaveLength(512);
    for (const { held, asked } of everyCell) {
      expect(granted(held, asked), `${held} asks for ${asked}`).toEqual(expected(held, asked));
    }
  });

  it('an empty list means what an omitted one does (contract 2, /auth/token)', () => {
    for (const held of subsetsOf(SCOPES)) {
      expect(granted(held, [])).toEqual(granted(held, undefined));
    }
  });

  it('order and repetition of what is asked change nothing (contract 2, /auth/token)', () => {
    const shuffled = fc.constantFrom(...everyCell).chain(({ held, asked }) =>
      fc.record({
        held: fc.constant(held),
        asked: fc.constant(asked),
        sent: fc.shuffledSubarray([...asked, ...asked], { minLength: asked.length * 2 }),
      }),
    );
    fc.assert(
      fc.property(shuffled, ({ held, asked, sent }) => {
        expect(granted(held, sent)).toEqual(granted(held, asked));
      }),
    );
  });

  it('an unknown scope is 400 unknown_scope and lists the unknown ones (spec 5.3.6)', () => {
    const caller = callerOf('Super admin');
    const refusal = refusalOf(() =>
      bearerGrant({ audience: 'svc-mcp', scopes: ['auto:use', 'read', 'svc:*'] }, caller),
    );
    expect(refusal).toMatchObject({
      code: 'unknown_scope',
      status: 400,
      fields: { scopes: ['read', 'svc:*'] },
    });
  });

  it('a scope beyond the credential is 403 scope_exceeds_key and lists the offenders (spec 5.3.6)', () => {
    const caller = callerOf('Member', ['read']);
    const refusal = refusalOf(() =>
      bearerGrant(
        { audience: 'svc-mcp', scopes: ['svc:devices:read', 'auto:use', 'svc:recordings'] },
        caller,
      ),
    );
    expect(refusal).toMatchObject({
      code: 'scope_exceeds_key',
      status: 403,
      fields: { scopes: ['auto:use', 'svc:recordings'] },
    });
  });

  it('svc-mcp reports unknown before exceeding (contract 2, /auth/token)', () => {
    const caller = callerOf('Member', ['read']);
    const refusal = refusalOf(() =>
      bearerGrant({ audience: 'svc-mcp', scopes: ['auto:use', 'nonsense'] }, caller),
    );
    expect(refusal).toMatchObject({ code: 'unknown_scope', fields: { scopes: ['nonsense'] } });
  });

  it('nothing left to grant is scope_exceeds_key too (contract 2, /auth/token)', () => {
    expect(granted([], undefined)).toBe('scope_exceeds_key');
    expect(granted([], [])).toBe('scope_exceeds_key');
  });

  it('admin of a session token only for an admin who asks for none or all five (spec 2 Session token)', () => {
    const four = MCP_SCOPES.filter((scope) => scope !== 'svc:recordings');
    expect(granted(['admin'], undefined)).toMatchObject({ session: ['sessions', 'admin'] });
    expect(granted(['admin'], MCP_SCOPES)).toMatchObject({ session: ['sessions', 'admin'] });
    expect(granted(['admin'], four)).toMatchObject({ session: ['sessions'] });
    expect(granted(['read', 'sessions', 'devices'], MCP_SCOPES)).toMatchObject({ session: ['sessions'] });
  });

  it('no session token without auto:use (spec 5.4.7)', () => {
    expect(granted(['admin'], ['svc:devices:read', 'svc:recordings'])).toMatchObject({ session: null });
    expect(granted(['devices'], undefined)).toMatchObject({ listed: ['svc:devices:read'], session: null });
  });

  it('a demoted admin is given what a Member may have (spec 5.3.2)', () => {
    const demoted = callerOf('Member', ['sessions', 'admin']);
    expect(scopeList(demoted.scopes)).toEqual(['sessions']);
    expect(refusalOf(() => bearerGrant({ audience: 'svc-mcp', scopes: [...MCP_SCOPES] }, demoted)).code).toBe(
      'scope_exceeds_key',
    );
  });
});

describe('svc-rest', () => {
  it('svc-rest is the default and carries the scopes of the asking credential, whatever is asked (spec 5.3, svc-rest)', () => {
    for (const held of subsetsOf(SCOPES)) {
      for (const scopes of [undefined, [], ['auto:use'], ['admin'], ['nonsense']]) {
        const grant = bearerGrant({ scopes }, callerOf('Admin', held));
        expect(grant).toEqual({
          audience: 'svc-rest',
          listed: held,
          apiScopes: scopeSet(held),
          mcpScopes: [],
          sessionScopes: null,
          limits: { sessions: null, minutes: null },
        });
      }
    }
  });

  it('any other audience is 400 unknown_audience (contract 2, /auth/token)', () => {
    for (const audience of [
      '',
      'svc-session',
      'svc-stream',
      'svc-node',
      'SVC-REST',
      '__proto__',
      'toString',
    ]) {
      expect(refusalOf(() => bearerGrant({ audience }, callerOf('Admin')))).toMatchObject({
        code: 'unknown_audience',
        status: 400,
      });
    }
  });
});

describe('limits of an agent (contract 12)', () => {
  const agentWith = (sessions: number | null, minutes: number | null) =>
    callerOf('Admin', undefined, {
      credential: signedCredential('bearer', 'b', {
        agent: { id: 'a', sessions, minutes, mcpScopes: MCP_SCOPES },
      }),
    });
  const limitsOf = (limits: object | undefined, caller = callerOf('Admin')) =>
    outcomeOf(() => bearerGrant({ audience: 'svc-mcp', limits }, caller).limits);

  it('limits of an agent are those of the request, and none without a request (contract 12)', () => {
    expect(limitsOf(undefined)).toEqual({ sessions: null, minutes: null });
    expect(limitsOf({ sessions: 2 })).toEqual({ sessions: 2, minutes: null });
    expect(limitsOf({ sessions: 2, minutes: 5 })).toEqual({ sessions: 2, minutes: 5 });
    expect(outcomeOf(() => bearerGrant({ limits: {} }, callerOf('Admin')))).toBe('bad_request');
  });

  it('limits of an agent are inherited by every token that the agent mints, which can only have lower ones (contract 12)', () => {
    expect(limitsOf(undefined, agentWith(2, null))).toEqual({ sessions: 2, minutes: null });
    expect(limitsOf({ sessions: 1, minutes: 9 }, agentWith(2, null))).toEqual({ sessions: 1, minutes: 9 });
    expect(limitsOf({ sessions: 3 }, agentWith(2, null))).toBe('limit_reached');
    expect(limitsOf({ minutes: 6 }, agentWith(null, 5))).toBe('limit_reached');
    expect(bearerGrant({}, agentWith(2, 5)).limits).toEqual({ sessions: 2, minutes: 5 });
  });

  it('an agent creates nothing but bearer tokens, with and without limits (contract 4)', () => {
    for (const agent of [agentWith(2, null), agentWith(null, 5), agentWith(null, null)])
      expect(outcomeOf(() => refuseAgents(agent))).toBe('agents_mint_bearers_only');
    expect(outcomeOf(() => refuseAgents(callerOf('Admin')))).toBeUndefined();
  });
});
