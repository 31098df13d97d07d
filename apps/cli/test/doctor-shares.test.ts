import type { ShareRow } from '@svc/device-lab';
import { expect, it } from 'vitest';
import { checkShares } from '../src/doctor/shares.ts';

const row = (kind: ShareRow['kind'], id: string): ShareRow => ({
  ...{ kind, id },
  limits: { sessions: 1, leases: null, minutes: null },
});

it('svc doctor warns of limits that a client without credentials escapes', () => {
  const check = (rows: ShareRow[], isRequired: boolean) => checkShares({ all: () => rows }, isRequired);
  expect(check([], false)).toEqual([]);
  const rows = [row('team', 'qa'), row('account', 'ana'), row('account', 'bob')];
  expect(check(rows, true)).toMatchObject([{ outcome: 'ok', message: 'Limits of teams: 1, of accounts: 2' }]);
  expect(check(rows, false)).toMatchObject([
    { check: 'limits', outcome: 'warning', fix: 'Set SVC_REQUIRE_SESSION_TOKEN=true.' },
  ]);
});
