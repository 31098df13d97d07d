import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { CELLS, type Cell, type Kind, Population } from './population.ts';

interface Row {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  readonly path: string;
  readonly access:
    | 'public'
    | 'ticket'
    | {
        readonly role: string | null;
        readonly scope: string | null;
        readonly credentials: readonly string[];
      };
}

const rows: Row[] = JSON.parse(readFileSync(new URL('../golden/routes.json', import.meta.url), 'utf8'));

/**
 * A short second version of the rules, independent of the code that they check: roles are ordered; a Member never has
 * `admin`; a sign-in has everything that its role may have; `admin` includes every scope (contract 3).
 */

const RANK: Record<string, number> = { Member: 0, Admin: 1, 'Super admin': 2 };

function has({ role, granted, kind }: Cell, scope: string): boolean {
  const held: readonly string[] = kind === 'sign-in' ? ['read', 'sessions', 'devices', 'admin'] : granted;
  const counting = held.filter((each) => each !== 'admin' || role !== 'Member');
  return counting.includes(scope) || counting.includes('admin');
}

/** For each kind of credential, the names in the route table that include it. */
const CARRIERS: Record<Kind, readonly string[]> = {
  key: ['key'],
  bearer: ['bearer'],
  'bearer from a sign-in': ['bearer', 'bearer from a sign-in'],
  'sign-in': ['sign-in', 'fresh sign-in'],
  'limited sign-in': ['sign-in', 'fresh sign-in'],
};

/** Refusals by rules of single routes (contract 2). */
const OWN_RULES: Record<string, (cell: Cell) => string | null> = {
  'POST /svc/api/profile/access-key/rotate': (cell) =>
    cell.kind === 'sign-in' || has(cell, 'admin') ? null : 'rotation_needs_sign_in_or_admin',
  'POST /svc/api/auth/reauthenticate': ({ kind }) => (kind === 'limited sign-in' ? 'sign_in_required' : null),
  'POST /svc/api/auth/session-token': ({ kind }) => (kind === 'limited sign-in' ? 'sign_in_required' : null),
  // The request lacks the headers that describe a request to forward.
  'GET /svc/api/auth/verify': () => 'invalid_target',
  'POST /svc/api/auth/dashboard-session': ({ kind, role }) =>
    role === 'Super admin' && (kind === 'key' || kind.startsWith('bearer')) ? null : 'super admin required',
};

/** @returns the error code of the refusal, or null if the cell is allowed */
function expected({ method, path, access }: Row, cell: Cell): string | null {
  if (access === 'ticket') return 'invalid ticket';
  // Anyone may open the stream of a link, with the ticket of the opened link.
  if (path === '/svc/api/watch/stream') return 'invalid ticket';
  if (access === 'public') return null;
  const isFresh = access.credentials.includes('fresh sign-in');
  if (!CARRIERS[cell.kind].some((carrier) => access.credentials.includes(carrier))) {
    return isFresh ? 'fresh_sign_in_required' : 'sign_in_required';
  }
  if (access.role !== null && (RANK[cell.role] ?? -1) < (RANK[access.role] ?? 3)) return 'insufficient_role';
  if (access.scope !== null && !has(cell, access.scope)) return 'insufficient_scope';
  if (isFresh && cell.kind === 'limited sign-in') return 'fresh_sign_in_required';
  return OWN_RULES[`${method} ${path}`]?.(cell) ?? null;
}

describe('role × scope × credential matrix', () => {
  let population: Population;

  beforeAll(async () => {
    population = await Population.open();
  });
  afterAll(() => population.running.close());

  async function outcome({ method, path }: Row, as: Record<string, string>): Promise<string | null> {
    const answer = await population.running.app.inject({
      method,
      url: path.replace(/:\w+/g, '00000000-0000-4000-8000-000000000000'),
      headers: { host: 'lab.test', origin: 'http://lab.test', ...as },
      ...(method === 'GET' ? {} : { payload: {} }),
    });
    if (answer.statusCode >= 500) return `${answer.statusCode}`;
    return answer.statusCode === 401 || answer.statusCode === 403 ? answer.json().error : null;
  }

  it.each(rows.map((row) => [`${row.method} ${row.path}`, row] as const))(
    '%s refuses exactly whom it should (contract 2, 3)',
    async (_, row) => {
      const wrong: object[] = [];
      const cells = await population.credentials();
      for (const [cell, as] of cells) {
        const is = await outcome(row, as);
        const shouldBe = expected(row, cell);
        if (is !== shouldBe) wrong.push({ ...cell, is, shouldBe });
      }
      expect(cells.size).toBe(CELLS.length);
      expect(wrong).toEqual([]);
    },
  );

  it('nobody gets in without a credential where one is asked for (contract 2)', async () => {
    const guarded = rows.filter(({ access }) => typeof access !== 'string');
    const answers = await Promise.all(
      guarded.map(({ method, path }) =>
        population.running.app.inject({
          method,
          url: path.replace(/:\w+/g, 'x'),
          headers: { host: 'lab.test', origin: 'http://lab.test' },
        }),
      ),
    );
    expect(new Set(answers.map((answer) => `${answer.statusCode} ${answer.json().error}`))).toEqual(
      new Set(['401 unauthenticated']),
    );
  });
});
