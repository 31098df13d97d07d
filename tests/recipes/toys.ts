import { blocksOf, type Copy, inlineCode } from './copy.ts';

const TOY_ID = '3f0b6a52-7c1e-4d5a-9b7e-2a1d8c4e6f90';

export function addRoute(copy: Copy): void {
  const [definition = ''] = blocksOf('Add a route');
  copy.add(
    'packages/contract/src/routes/toys.ts',
    `import { ANY_CALLER } from '../access.ts';
import { route } from '../define-route.ts';
import { feature, type RouteTag } from '../feature.ts';
import { IdParams, namedObject, UuidSchema } from './common.ts';

${definition}`,
  );
  const contract = 'packages/contract/src/routes/index.ts';
  copy.insertBefore(contract, 'import { userRoutes }', "import { toyRoutes } from './toys.ts';\n");
  copy.insertBefore(contract, '  ...userRoutes,', '  ...toyRoutes,\n');
  copy.add(
    'apps/api/src/routes/toys.ts',
    `import type { Caller } from '@svc/auth-core';
import { routes } from '@svc/contract';
import { handle } from '../http/handle.ts';
import type { App, HttpContext } from '../http/http-context.ts';

const toys = { read: (_caller: Caller, id: string) => ({ id }) };

export function toyRoutes(api: App, _context: HttpContext): void {
  ${inlineCode('Add a route', 'handle(api, ')}
}
`,
  );
  copy.insertBefore(
    'apps/api/src/routes/index.ts',
    'export { signInRoutes }',
    "export { toyRoutes } from './toys.ts';\n",
  );
}

/** Renames `badge`, because the tests of auth-core contain a scheme of this name. */
const asMedal = (code: string) => code.replaceAll('badge', 'medal').replaceAll('Badge', 'Medal');

/** The medal of this scheme contains the id of its account. */
export function addScheme(copy: Copy): void {
  const [scheme = '', proof = ''] = blocksOf('Add a credential scheme').map(asMedal);
  const bodies: Readonly<Record<string, string>> = {
    secretOf: "return headerText(headers['x-medal']);",
    verify: `if (!medal.startsWith('medal-of-')) return new Rejected('no such medal');
    return {
      accountId: medal.slice('medal-of-'.length),
      credential: credentialOfKind('medal', medal, {}),
      granted: scopeSet(['read']),
      expiresAt: now + 60_000,
      grantsUntil: now + 60_000,
      teamId: null,
      usedAt: null,
    };`,
    stillGood: "return caller.credential.kind === 'medal';",
  };
  const code = scheme.replaceAll(/^( *(\w+)\(.*\)) \{ \/\*.*\*\/ \}$/gm, (_, head, name) => {
    const body = bodies[name];
    if (body === undefined) throw new Error(`the scheme has an unexpected method ${name}`);
    return `${head} {\n    ${body}\n  }`;
  });
  copy.add(
    'packages/auth-core/src/credentials/medal.ts',
    `import { type Caller, credentialOfKind } from '../principal.ts';
import { scopeSet } from '../scopes.ts';
import { headerText, type PresentedCredentials } from './presented.ts';
import type { CredentialScheme } from './scheme.ts';
import { Rejected } from './verification.ts';

${code}`,
  );
  const schemes = 'packages/auth-core/src/credentials/schemes.ts';
  copy.insertBefore(schemes, 'import { BearerScheme }', "import { MedalScheme } from './medal.ts';\n");
  // Insert the scheme as the strongest one, so that code that reads schemes by their position fails.
  copy.insertBefore(schemes, '    pairs,\n', '    new MedalScheme(),\n');
  copy.insertBefore('packages/contract/src/access.ts', "'key', 'bearer', 'sign-in', 'none'", "'medal', ");
  copy.insertBefore(
    'packages/contract/src/proofs.ts',
    '  key: {\n    refusal:',
    proof.replaceAll(/^(?=.)/gm, '  '),
  );
}

export function addStart(copy: Copy): void {
  const [start = ''] = blocksOf('Add a start');
  copy.add(
    'packages/device-lab/src/toy-start.ts',
    `import type { SessionEnd } from './driver-sessions.ts';
import type { StartSession } from './start-session.ts';

interface Answer {
  readonly id?: string;
  readonly capabilities: Readonly<Record<string, unknown>>;
}

export interface Node {
  readonly name: string;
  readonly answer: Answer;
  readonly running: Set<string>;
  endOf(id: string): Promise<SessionEnd>;
}

const post = async (node: Node, _capabilities: unknown): Promise<Answer> => {
  if (node.answer.id !== undefined) node.running.add(node.answer.id);
  return node.answer;
};
const remove = async (node: Node, id: string): Promise<void> => void node.running.delete(id);
const touch = async (_node: Node, _id: string): Promise<void> => undefined;

${start}`,
  );
  copy.add(
    'packages/device-lab/test/toy-start.test.ts',
    `import { silentLog } from '@svc/auth-core/testing';
import { labStores } from '@svc/store-sqlite/testing';
import { expect, it } from 'vitest';
import { DeviceLab } from '../src/device-lab.ts';
import * as testing from '../src/testing/index.ts';
import { startOn } from '../src/toy-start.ts';

it('a session starts and ends on a toy node, or is refused', async () => {
  const { sessions, commands, deviceSettings } = labStores();
  const lab = new DeviceLab({
    sessions,
    commands,
    deviceSettings,
    sources: [testing.samplePhones(1, 'virtual')],
    maxSessions: () => 0,
    retentionDays: { commands: () => 30, sessions: () => 365 },
    clock: { now: () => 7 },
    log: silentLog(),
  });
  lab.start();
  const node = (answer: { id?: string; capabilities: Record<string, unknown> }) => ({
    name: 'toy',
    answer,
    running: new Set<string>(),
    endOf: () => new Promise<never>(() => undefined),
  });
  const refusing = node({ capabilities: {} });
  expect(await lab.creates.createSession(testing.sampleAdmission(), {}, startOn(refusing))).toEqual({
    refused: refusing.answer,
  });
  const starting = node({ id: 's1', capabilities: { platformName: 'Toy' } });
  const outcome = await lab.creates.createSession(testing.sampleAdmission(), {}, startOn(starting));
  expect(outcome).toMatchObject({ session: { id: 's1', node: 'toy' }, answer: starting.answer });
  await lab.endSession('s1', { category: null, reason: null });
  expect([...starting.running]).toEqual([]);
});
`,
  );
}

export function addRule(copy: Copy): void {
  copy.add(
    'packages/auth-core/src/policy/open-toy-box.ts',
    `import type { Caller } from '../principal.ts';

/** Whether a caller may open the toy box, but not at night. */
export function mayOpenToyBox(caller: Caller, now: number): boolean {
  return caller.account.role !== 'Member' && new Date(now).getUTCHours() >= 6;
}
`,
  );
  copy.add(
    'packages/auth-core/test/open-toy-box.test.ts',
    `import { expect, it } from 'vitest';
import { mayOpenToyBox } from '../src/policy/open-toy-box.ts';

it.each([
  ['Member', 12, false],
  ['Admin', 12, true],
  ['Admin', 5, false],
])('a %s at %s o’clock: %s', (role, hour, allowed) => {
  const caller = { account: { role } } as never;
  expect(mayOpenToyBox(caller, Date.UTC(2026, 0, 1, hour))).toBe(allowed);
});
`,
  );
}

export function addPage(copy: Copy): void {
  copy.add(
    'apps/dashboard/src/pages/toys/page.tsx',
    `import { texts } from '../../texts/en.ts';

export const Page = () => <p>{texts.toys.lead}</p>;
`,
  );
  copy.add(
    'apps/dashboard/src/texts/en/toys.ts',
    "export const toyTexts = { lead: 'Every toy of the lab.' };\n",
  );
  copy.insertBefore(
    'apps/dashboard/src/texts/en/all.ts',
    'export { userTexts as users }',
    "export { toyTexts as toys } from './toys.ts';\n",
  );
  copy.insertBefore('apps/dashboard/src/texts/en/shell.ts', "    'api-keys': ", "    toys: 'Toys',\n");
  copy.insertBefore(
    'apps/dashboard/src/shell/navigation.tsx',
    "      { page: 'apps',",
    "      { page: 'toys', icon: 'devices' },\n",
  );
}

/** Tests route, scheme and page on a real server, like a test of the conformance suite. */
export function addServerTest(copy: Copy): void {
  copy.add(
    'tests/conformance/toys.test.ts',
    `import { SvcClient } from '@svc/client';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { targets, World } from './support/world.ts';

describe.each(targets)('toys on $name', ({ start }) => {
  let world: World;

  beforeAll(async () => {
    world = await World.start(start);
  });
  afterAll(() => world.server.stop());

  it('are read with a cookie and with a medal', async () => {
    const client = new SvcClient({ url: world.url });
    await client.signIn(world.root.email, world.root.password);
    expect(await client.call('getToy', { params: { id: '${TOY_ID}' } })).toEqual({ id: '${TOY_ID}' });
    const as = { 'x-medal': \`medal-of-\${world.root.id}\` };
    expect(await world.ok('GET', '/toys/${TOY_ID}', { as })).toEqual({ id: '${TOY_ID}' });
    expect(await world.ok('GET', '/auth/me', { as })).toMatchObject({ id: world.root.id, kind: 'medal' });
    expect((await world.api('GET', '/toys/${TOY_ID}', { as: { 'x-medal': 'b' } })).status).toBe(401);
    expect((await world.api('GET', '/toys/${TOY_ID}')).status).toBe(401);
  });

  it('have a page', async () => {
    const page = await fetch(\`\${world.url}/svc/toys\`);
    expect([page.status, await page.text()]).toEqual([200, expect.stringContaining('assets/')]);
  });
});
`,
  );
}
