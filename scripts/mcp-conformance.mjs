// Runs every scenario of the MCP conformance suite against the API, and compares the results with EXPECTED, which
// docs/guides/agents.md explains. The suite needs Node.js 24. It cannot send a bearer token, so a proxy adds the token.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { createServer, request } from 'node:http';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { createInterface } from 'node:readline';
import { buildOrExit } from './lib/build.mjs';
import { installNode } from './lib/install-node.mjs';
import { root } from './lib/run.mjs';

const SUITE = '@modelcontextprotocol/conformance@0.2.0-alpha.12';
/** The suite runs scenarios of protocol extensions only if no revision is selected. */
const EXTENSIONS = 'extensions';
const REVISIONS = ['2025-06-18', '2025-11-25', '2026-07-28', EXTENSIONS];
const ADMIN = { email: 'admin@lab.example', password: 'a password for one conformance run' };

const PASSED = 'passed';
const OWN_TOOLS = 'calls tools that only the server of the suite has';
const NO_SESSIONS = 'the server is stateless';
const NO_RESOURCES = 'the server has no resources';
const NO_FEATURE = 'the server does not offer this feature';
/** Check that also succeeds in scenarios that do not apply, so its success alone proves nothing. */
const WIRE = 'wire-schema-valid';

/**
 * Result by scenario, with or without a revision; `*` stands for the rest of a name. The first match counts. A string
 * is `PASSED`, or the reason why the scenario does not apply. An array has the checks that do not succeed.
 */
const EXPECTED = Object.entries({
  'server-initialize': PASSED,
  ping: PASSED,
  'tools-list': PASSED,
  'http-header-validation': PASSED,
  'server-sse-multiple-streams 2026-07-28': PASSED,
  'input-required-result-unsupported-methods': PASSED,
  'input-required-result-validate-input': PASSED,
  // The first four checks call tools that only the server of the suite has. The other two need subscriptions.
  'server-stateless': [
    'sep-2575-server-rejects-undeclared-capability',
    'sep-2575-missing-capability-http-400',
    'sep-2575-http-server-no-independent-requests-on-stream',
    'sep-2575-server-no-log-without-loglevel',
    'sep-2575-server-sends-subscription-ack',
    'sep-2575-server-tags-subscription-id',
  ],
  // The server has no prompts and no resources.
  caching: [
    'sep-2549-prompts-list-caching-hints',
    'sep-2549-resources-list-caching-hints',
    'sep-2549-resources-templates-list-caching-hints',
  ],
  'dns-rebinding-protection': PASSED,
  // The server's error for an unknown method has another code than the suite expects, and contains no URI of the
  // resource.
  'sep-2164-resource-not-found': ['sep-2164-error-code', 'sep-2164-data-uri'],
  'server-session-lifecycle': NO_SESSIONS,
  'server-sse-*': NO_SESSIONS,
  'tools-call-*': OWN_TOOLS,
  'json-schema-2020-12': OWN_TOOLS,
  'http-custom-header-server-validation': OWN_TOOLS,
  'resources-*': NO_RESOURCES,
  'completion-*': NO_FEATURE,
  'elicitation-*': NO_FEATURE,
  'input-required-result-*': NO_FEATURE,
  'logging-*': NO_FEATURE,
  'prompts-*': NO_FEATURE,
  'sep-2640-skills-*': NO_FEATURE,
  'tasks-*': NO_FEATURE,
});

const folder = mkdtempSync(join(tmpdir(), 'svc-mcp-conformance-'));
const children = new Set();
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => process.exit(1));
process.on('exit', () => {
  for (const child of children) child.kill('SIGKILL');
  rmSync(folder, { recursive: true, force: true });
});

await buildOrExit();
const { bin } = installNode('24', join(folder, 'node'));
const api = await startApi();
const address = await startProxy(api, await tokenOf(api));
const results = new Map();
const isSeen = (pattern) => [...results.keys()].some((name) => isLike(pattern, name));
for (const revision of REVISIONS) {
  const ran = await runSuite(`${address}/svc/mcp`, revision);
  const added = ran.filter(([scenario]) => revision !== EXTENSIONS || !isSeen(scenario));
  for (const [scenario, checks] of added) results.set(`${scenario} ${revision}`, checks);
}
const differences = [...results].flatMap(([name, checks]) => differencesOf(name, checks));
for (const [pattern] of EXPECTED) if (!isSeen(pattern)) differences.push(`${pattern}: no such scenario ran`);
for (const difference of differences) console.error(difference);
console.log(`${results.size} results, ${differences.length} of them unexpected`);
process.exit(differences.length === 0 ? 0 : 1);

function start(program, args, options) {
  const child = spawn(program, args, options);
  children.add(child.once('close', () => children.delete(child)));
  return child;
}

/** Starts the API with an empty data folder, and resolves to its address. */
async function startApi() {
  const env = {
    ...{ PATH: process.env.PATH, PORT: '0', SVC_DATA_DIR: join(folder, 'data') },
    ...{ SVC_BOOTSTRAP_ADMIN_EMAIL: ADMIN.email, SVC_BOOTSTRAP_ADMIN_PASSWORD: ADMIN.password },
  };
  const program = join(root, 'apps/api/dist/main.js');
  const child = start(process.execPath, [program], { env, stdio: ['ignore', 'pipe', 'inherit'] });
  for await (const line of createInterface(child.stdout)) {
    const ready = /^svc ready on (\S+)/.exec(line);
    if (ready === null) continue;
    child.stdout.resume();
    return ready[1];
  }
  throw new Error('The API did not start');
}

/** @returns an `svc-mcp` token of the first account */
async function tokenOf(url) {
  const post = async (path, body, headers) => {
    const init = { method: 'POST', body: JSON.stringify(body) };
    const all = { origin: url, 'content-type': 'application/json', ...headers };
    const response = await fetch(`${url}/svc/api${path}`, { ...init, headers: all });
    if (!response.ok) throw new Error(`${path}: ${response.status} ${await response.text()}`);
    return response;
  };
  const [cookie] = (await post('/auth/login', ADMIN)).headers.getSetCookie();
  const minted = await post('/auth/token', { audience: 'svc-mcp' }, { cookie: cookie.split(';', 1)[0] });
  return (await minted.json()).token;
}

/** Starts a proxy that adds the token to each request and changes nothing else. Resolves to its address. */
async function startProxy(url, token) {
  const server = createServer((incoming, outgoing) => {
    const headers = { ...incoming.headers, authorization: `Bearer ${token}` };
    const forwarded = request(`${url}${incoming.url}`, { method: incoming.method, headers }, (answer) => {
      answer.pipe(outgoing.writeHead(answer.statusCode, answer.headers));
    });
    incoming.pipe(forwarded.on('error', () => outgoing.destroy()));
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  return `http://127.0.0.1:${server.address().port}`;
}

/** @returns the checks of every scenario of a revision */
async function runSuite(url, revision) {
  const out = join(folder, revision);
  const selected = revision === EXTENSIONS ? [] : ['--spec-version', revision];
  const args = ['-y', SUITE, 'server', '--url', url, '--suite', 'all', '-o', out, ...selected];
  const env = { ...process.env, PATH: `${bin}${delimiter}${process.env.PATH}` };
  await once(start('npx', args, { env, cwd: folder, stdio: ['ignore', 'ignore', 'inherit'] }), 'close');
  return readdirSync(out).map((name) => [
    name.replace(/^server-|-\d{4}-\d\d-\d\dT[\d-]+Z$/g, ''),
    JSON.parse(readFileSync(join(out, name, 'checks.json'), 'utf8')),
  ]);
}

function isLike(pattern, name) {
  return name.startsWith(
    pattern.endsWith('*') ? pattern.slice(0, -1) : pattern.includes(' ') ? pattern : `${pattern} `,
  );
}

function differencesOf(name, checks) {
  const expected = EXPECTED.find(([pattern]) => isLike(pattern, name))?.[1] ?? 'nothing';
  const failed = checks
    .filter(({ status }) => !['SUCCESS', 'SKIPPED', 'INFO'].includes(status))
    .map(({ id }) => id);
  const passed = failed.length === 0 && checks.some(({ id, status }) => status === 'SUCCESS' && id !== WIRE);
  const result = passed ? PASSED : failed.join() || 'no check succeeded';
  const isExpected = Array.isArray(expected) ? result === expected.join() : passed === (expected === PASSED);
  if (isExpected && expected !== 'nothing' && !failed.includes(WIRE)) return [];
  return [`${name}: expected: ${expected}; result: ${result}`];
}
