import { readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { acceptedProof, ERROR_STATUS, errorsOf, operationIdOf, type Route, routes } from '@svc/contract';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { World } from '../conformance/support/world.ts';
import { startApi, startLab } from '../support/lab.ts';
import { cleanUp, pythonWith, run, runFolder } from '../support/programs.ts';

/** Cases per operation; set `SCHEMATHESIS_EXAMPLES=200` for a long run. */
const EXAMPLES = Number(process.env.SCHEMATHESIS_EXAMPLES ?? '2');
const SEED = process.env.SCHEMATHESIS_SEED ?? '17';
const HOOKS = fileURLToPath(new URL('support/hooks.py', import.meta.url));

/** Limits that a whole run does not reach. Limits that are not configurable may respond 429, which is documented. */
const UNLIMITED = {
  SVC_LOGIN_RATE_LIMIT_ATTEMPTS: '1000000',
  SVC_ACCOUNT_RATE_LIMIT_ATTEMPTS: '0',
  SVC_RESET_RATE_LIMIT_ATTEMPTS: '1000000',
};

afterAll(cleanUp);

describe.each([
  ['the API alone', startApi],
  ['Appium', startLab],
])('Schemathesis on %s', (_, start) => {
  let world: World;

  beforeAll(async () => {
    world = await World.start(start, UNLIMITED);
  });
  afterAll(() => world.server.stop());

  it('Schemathesis finds no answer that the document does not describe, and nothing that gets past it (contract 1, 2)', async () => {
    const python = await pythonWith('schemathesis==4.32.5\n');
    const folder = runFolder('schemathesis');
    const key = await world.apiKey(world.root.as, { scopes: ['admin'], rateLimit: 100_000 });
    const other = await world.person('Super admin');
    const config = join(folder, 'schemathesis.toml');
    const answered = join(folder, 'answered.json');
    writeFileSync(config, settings(world.url));
    const { code, output } = await run(
      join(dirname(python), 'st'),
      ['--config-file', config, 'run', `${world.url}/svc/openapi.json`],
      {
        cwd: folder,
        env: {
          SCHEMATHESIS_HOOKS: HOOKS,
          SVC_ANSWERED_FILE: answered,
          SVC_PAIR: JSON.stringify(key.as),
          SVC_COOKIE: JSON.stringify(cookieOf(other.as)),
          SVC_SIGN_IN_ONLY: SIGN_IN_ONLY.join(),
          SVC_KEPT_IDS: [key.id, world.root.id, other.id].join(),
        },
      },
    );
    expect(code, output).toBe(0);
    expect(await world.asks(key.as)).toBe('200');
    expectReached(JSON.parse(readFileSync(answered, 'utf8')));
  }, 900_000);
});

/** Expects a success of every operation, because the run proves little about operations that never succeed. */
function expectReached(answered: Readonly<Record<string, Readonly<Record<string, number>>>>): void {
  const reached = Object.entries(answered).filter(([, statuses]) =>
    Object.keys(statuses).some((status) => status.startsWith('2')),
  );
  expect(Object.keys(answered).length).toBeGreaterThan(60);
  expect(reached.length).toBeGreaterThan(45);
}

const listed = Object.values<Route>(routes).filter(({ webSocket }) => !webSocket);
const SIGN_IN_ONLY = [
  'rotateAccessKey',
  ...listed
    .filter(({ access }) => acceptedProof(access, 'credential')?.only !== undefined)
    .map(operationIdOf),
];

/** @returns the cookie as `{ name: value }` */
function cookieOf({ cookie = '' }: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  const [name = '', value = ''] = cookie.split('=', 2);
  return { [name]: value };
}

function settings(origin: string): string {
  return [
    `seed = ${SEED}`,
    `generation.max-examples = ${EXAMPLES}`,
    // Chains of requests, in which a later request changes what an earlier one created.
    `phases.stateful.generation.max-examples = ${EXAMPLES * 5}`,
    'request-timeout = 20.0',
    'continue-on-failure = true',
    'color = false',
    `headers = { origin = ${JSON.stringify(origin)} }`,
    // If an address does not have a method, the response is 404, or 401 without a credential, never 405 (contract 1).
    'phases.coverage.unexpected-methods = []',
    ...listed
      .filter(isRefusedByRule)
      .flatMap((route) => [
        '[[operations]]',
        `include-operation-id = ${JSON.stringify(operationIdOf(route))}`,
        'checks.positive_data_acceptance.expected-statuses = ["2xx", 400, 401, 403, 404, 409, 429]',
      ]),
    // The nodes that a run registers do not exist, so a route that asks the node of a phone answers 502.
    ...listed
      .filter((route) => errorsOf(route).includes('driver_failed'))
      .flatMap((route) => [
        '[[operations]]',
        `include-operation-id = ${JSON.stringify(operationIdOf(route))}`,
        'checks.not_a_server_error.expected-statuses = ["2xx", "3xx", "4xx", 502]',
        'checks.positive_data_acceptance.expected-statuses = ["2xx", 400, 401, 403, 404, 409, 429, 502]',
      ]),
  ].join('\n');
}

/**
 * @returns whether a rule refuses values that the schema allows, with its own code, such as a past time or a common
 * password
 */
function isRefusedByRule(route: Route): boolean {
  const words = errorsOf(route).filter((code) => ERROR_STATUS[code] === 400 && code !== 'bad_request');
  return words.length > 0 || ALSO_BAD.has(operationIdOf(route));
}

/**
 * Operations whose rules respond `bad_request`: `before` does not name a row, an e-mail address cannot receive mail, or
 * a text is not a signed token.
 */
const ALSO_BAD = new Set([
  ...['getAuditTrail', 'exportAudit', 'getEventLog', 'listApiKeys', 'listUsers', 'testTrustRules'],
]);
