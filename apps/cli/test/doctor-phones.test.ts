import { expect, it } from 'vitest';
import { checkPhones } from '../src/doctor/phones.ts';

const row = (udid: string, reason: string, byId: string | null = null) => ({
  ...{ udid, reason, byId },
  since: Date.UTC(2026, 0, 2),
  until: null,
});
const check = (...rows: ReturnType<typeof row>[]) =>
  checkPhones({ care: { all: () => rows }, cleaning: { all: () => [] } });

it('svc doctor fails for a phone that could not be cleaned and warns of an unhealthy one (contract 17.2, 17.3)', () => {
  expect(check(row('a', 'screen is broken', 'boss'))).toMatchObject([
    { check: 'phones', outcome: 'ok', message: expect.stringContaining('1 out of service by an Admin') },
  ]);
  expect(
    check(row('a', 'it could not be cleaned: com.shop is still on it'), row('b', 'it does not answer')),
  ).toMatchObject([
    {
      outcome: 'failure',
      message:
        'The phone a is out of service since 2026-01-02T00:00:00.000Z: it could not be cleaned: com.shop is still on it',
    },
    { outcome: 'warning', message: expect.stringContaining('The phone b is out of service') },
  ]);
});
