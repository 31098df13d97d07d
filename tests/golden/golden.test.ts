import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openApp, type RunningApp, routeTableOf } from '../support/app.ts';

// `vitest run tests/golden -u` writes both files again.
describe('golden files', () => {
  let running: RunningApp;

  beforeAll(async () => {
    running = await openApp();
  });
  afterAll(() => running.close());

  it('routes.json: every route with its access, category and origin check (contract 2)', async () => {
    const rows = (await routeTableOf(running)).map(
      ({ method, path, access, role, scope, credentials, category, originCheck }) => ({
        method,
        path,
        access: access === 'caller' ? { role, scope, credentials } : access,
        category,
        originCheck,
      }),
    );
    rows.sort((a, b) => `${a.path} ${a.method}`.localeCompare(`${b.path} ${b.method}`, 'en'));
    const lines = rows.map((row) => `  ${JSON.stringify(row)}`).join(',\n');
    await expect(`[\n${lines}\n]\n`).toMatchFileSnapshot('./routes.json');
  });

  it('openapi.json: every route with the schemas of its bodies and answers (contract 1)', async () => {
    const { info, ...rest } = (await running.app.inject('/svc/openapi.json')).json();
    const document = { ...rest, info: { ...info, version: '' } };
    await expect(`${JSON.stringify(document, null, 2)}\n`).toMatchFileSnapshot('./openapi.json');
  });
});
