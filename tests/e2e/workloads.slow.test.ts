import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type Person, World } from '../conformance/support/world.ts';
import { CiIssuer } from '../support/ci-issuer.ts';
import { startLab } from '../support/lab.ts';
import { createSession } from '../support/sessions.ts';
import { useBrowser } from './support/browser.ts';
import { expectWholeWords, inspect } from './support/inspect.ts';
import { openAs, row, toasted } from './support/people.ts';

const LAB = 'https://lab.example';

const browsers = useBrowser();
let world: World;
let admin: Person;
let issuer: CiIssuer;

beforeAll(async () => {
  world = await World.start(startLab, {
    SVC_PUBLIC_URL: LAB,
    SVC_REQUIRE_COMMAND_AUTH: 'true',
    SVC_REQUIRE_SESSION_TOKEN: 'true',
    SVC_RECORDING: 'all',
  });
  admin = await world.person('Admin');
  issuer = await CiIssuer.start();
});
afterAll(async () => {
  await issuer?.close();
  await world?.server.stop();
});

it('a rule is suggested from a token, tested, used for a session, paused and deleted (contract 10.3, spec 5.7.6)', async () => {
  const page = await openAs(browsers, world, admin.as, 'workloads', { refusals: [400] });
  const claims = { aud: LAB, sub: 'repo:o/r:ref:refs/heads/main', repository: 'o/r', ref: 'refs/heads/main' };
  const token = await issuer.sign({
    ...claims,
    repository_id: '74',
    repository_owner_id: '65',
    run_number: '812',
    run_id: '4711',
  });
  await page.getByText('No CI jobs yet').waitFor();

  await page.getByRole('button', { name: 'Add CI jobs' }).first().click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('CI', { exact: true }).selectOption('gitlab');
  expect(await dialog.getByLabel('Issuer', { exact: true }).inputValue()).toBe('https://gitlab.com');
  await dialog.getByLabel('Name').fill('wrong');
  await dialog.getByLabel('Team').selectOption({ label: 'No team' });
  await dialog.getByLabel('Claims').fill('project_path = group/project');
  await inspect(page, 'workloads-new');
  await dialog.getByRole('button', { name: 'Add CI jobs' }).click();
  await dialog.getByRole('alert').getByText('project_id or namespace_id').waitFor();
  await page.keyboard.press('Escape');

  await page.getByLabel('Token of a job').fill(token);
  await page.getByRole('button', { name: 'Test', exact: true }).click();
  await page.getByRole('button', { name: 'Add CI jobs from this token' }).click();
  expect(await dialog.getByLabel('Claims').inputValue()).toBe('repository_id = 74\nrepository_owner_id = 65');
  await dialog.getByRole('button', { name: 'Add CI jobs' }).click();
  await toasted(page, 'was added');
  await page.getByRole('button', { name: 'Test', exact: true }).click();
  await page.getByText('o/r@main accepts the token.').waitFor();

  const body = new URLSearchParams({
    grant_type: 'urn:ietf:params:oauth:grant-type:jwt-bearer',
    assertion: token,
  });
  const answer = await fetch(`${world.url}/svc/oauth/token`, { method: 'POST', body });
  expect(answer.status).toBe(200);
  await page.reload();
  await page.getByText('o/r@main, run 812').waitFor();
  await inspect(page, 'workloads');

  const { access_token: bearer, session_token: sessionToken } = (await answer.json()) as Record<
    string,
    string
  >;
  const headers = { authorization: `Bearer ${bearer}` };
  const created = await createSession(world.url, { sessionToken }, { headers });
  const { sessionId } = created.body.value;
  expect(created.status, JSON.stringify(created.body)).toBe(200);
  const command = async () => (await fetch(`${world.url}/session/${sessionId}/source`, { headers })).status;
  expect(await command()).toBe(200);
  const record = await world.ok('GET', `/session/${sessionId}`, { as: admin.as });
  expect(record).toMatchObject({ owner: { id: admin.id }, startedBy: 'o/r@main, run 812' });
  await page.goto(`/svc/sessions?id=${sessionId}`);
  await page.getByText('o/r@main, run 812').waitFor();
  const link = page.getByRole('link', { name: 'o/r@main, run 812' });
  expect(await link.getAttribute('href')).toBe(record.startedByUrl);
  expect(await link.getAttribute('rel')).toBe('noopener noreferrer');
  await page.goto('/svc/workloads');

  await page.getByRole('button', { name: 'Pause o/r@main' }).click();
  await page.getByText('Paused').waitFor();
  // The response to the last command may still be cached (specification 5.7.6).
  await expect.poll(command, { timeout: 35_000, interval: 250 }).toBe(404);
  expect((await createSession(world.url, { sessionToken }, { headers })).status).not.toBe(200);
  await page.getByRole('button', { name: 'Delete o/r@main' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
  await toasted(page, 'was deleted');
  await page.getByText('No CI jobs yet').waitFor();
});

it('an agent with the official client drives a phone, is recorded, and is stopped from its page (contract 12)', async () => {
  const person = await world.person();
  const scopes = ['auto:use', 'svc:devices:read', 'svc:devices:lock', 'svc:recordings'];
  const json = { audience: 'svc-mcp', scopes, limits: { sessions: 1, minutes: 30 } };
  const headers = await world.bearer(person.as, json);
  const client = new Client({ name: 'scripted', version: '1' });
  await client.connect(
    new StreamableHTTPClientTransport(new URL(`${world.url}/svc/mcp`), { requestInit: { headers } }),
  );
  const call = async (name: string, input: Record<string, unknown> = {}) =>
    await client.callTool({ name, arguments: input });
  // biome-ignore lint/suspicious/noExplicitAny: each tool has facts of another shape.
  const facts = async (name: string, input?: Record<string, unknown>): Promise<any> =>
    (await call(name, input)).structuredContent;

  const { udid } = await facts('lease_device', { platform: 'Fake', minutes: 5 });
  const { sessionId } = await facts('start_session', { udid });
  const { elements } = await facts('find_elements', { sessionId, using: 'id', value: 'search' });
  const { elementId } = elements[0];
  expect(await call('type_text', { sessionId, elementId, text: 'milk' })).not.toHaveProperty('isError');
  const source = await call('get_page_source', { sessionId });
  expect(JSON.stringify(source.content)).toContain('device-content');
  const picture = async () => {
    const [shown] = (await call('get_recording_picture', { sessionId, at: new Date().toISOString() }))
      .content;
    return shown?.type === 'image' ? shown.data.slice(0, 4) : null;
  };
  // The first characters of a JPEG or PNG picture in Base64.
  await expect.poll(picture, { timeout: 20_000 }).toMatch(/^(?:\/9j|iVBO)/);

  const page = await openAs(browsers, world, person.as, 'agents');
  const shown = await row(page, 'Agents', person.email);
  expect(await shown.textContent()).toContain('1 session at once, 0 of 30 minutes today');
  expect(await shown.textContent()).toContain(udid);
  await inspect(page, 'agents');
  await page.setViewportSize({ width: 320, height: 640 });
  await expectWholeWords(page);
  expect(await page.getByRole('button', { name: 'Stop every agent' }).count()).toBe(0);
  await page.getByRole('button', { name: `Stop the agent of ${person.email}` }).click();
  await page
    .getByRole('dialog', { name: `Stop the agent of ${person.email}?` })
    .getByRole('button', { name: 'Stop', exact: true })
    .click();
  await toasted(page, 'The agent was stopped');
  await page.getByText('No agents').waitFor();
  await expect(call('get_page_source', { sessionId })).rejects.toThrow();
  const session = await world.ok('GET', `/session/${sessionId}`, { as: person.as });
  expect(session).toMatchObject({ status: 'ended', failureReason: 'the token of the agent has ended' });

  const all = await openAs(browsers, world, world.root.as, 'agents');
  await all.getByRole('button', { name: 'Stop every agent' }).click();
  await inspect(all, 'agents-stop');
  await all.getByRole('dialog').getByRole('button', { name: 'Stop every agent' }).click();
  await toasted(all, 'Every agent was stopped');
});
