import { Agent } from 'node:http';
import { type KeyPair, keyPairHeaders, SvcClient } from '@svc/client';
import { type AppiumUnderTest, createSession, EMAIL, PASSWORD, startAppium } from './appium-server.ts';
import { startServer } from './child.ts';
import { callerOf } from './http-call.ts';
import { askAtPace, quantile } from './pace.ts';
import type { LogReadersInput } from './reads/log-readers.ts';
import type { Report } from './report/report.ts';
import { sized } from './size.ts';

/** Number of commands that a session's log keeps. */
const COMMANDS = 2_000;
const BYTES_OF_COMMAND = 1_500;
const CONNECTIONS = 40;
/** Each token has a rate limit of its own, which the readers must not reach. */
const TOKENS = 20;
const ASKS_PER_SECOND = 40;
const ROUNDS = sized({ short: 2, usual: 4, long: 20 });
const SLICE_MS = sized({ short: 5_000, usual: 10_000, long: 15_000 });

/**
 * Measures the delay that a Member causes for the commands of another user by reading their own log and report, in 40
 * connections. Slices with and without readers alternate, so that other work on the machine affects both.
 */
export async function readsBench(report: Report): Promise<void> {
  report.begin(
    'Commands beside large reads',
    `A cheap command, ${ASKS_PER_SECOND} a second, while a Member reads the full log (${COMMANDS} commands) and the report of a session in ${CONNECTIONS} connections, against rest, ${(ROUNDS * SLICE_MS) / 1_000} s`,
  );
  const appium = await startAppium({ plugin: true });
  const pairs = await memberPairs(appium.url);
  const sessionId = await fullLog(appium, pairs);
  const [rest, load]: [number[], number[]] = [[], []];
  const slice = () => askAtPace(() => appium.command(), ASKS_PER_SECOND, SLICE_MS);
  await slice();
  for (let round = 0; round < ROUNDS; round++) {
    rest.push(...(await slice()));
    const input: LogReadersInput = { url: appium.url, sessionId, pairs, connections: CONNECTIONS };
    const readers = await startServer<object>('./reads/log-readers.js', input);
    load.push(...(await slice()));
    await readers.stop();
  }
  await appium.stop();
  console.log(
    `p99 at rest ${quantile(rest, 0.99).toFixed(1)} ms, beside readers ${quantile(load, 0.99).toFixed(1)} ms`,
  );
  const ratio = (part: number) => [quantile(load, part) / quantile(rest, part)];
  report.add({ what: 'p99', values: ratio(0.99), goal: { atMost: 1.5 } });
  report.add({ what: 'median', values: ratio(0.5) });
}

/** Makes a Member with several tokens. */
async function memberPairs(url: string): Promise<KeyPair[]> {
  const admin = new SvcClient({ url });
  await admin.signIn(EMAIL, PASSWORD);
  const email = 'member@svc.local';
  await admin.call('createUser', { body: { email, name: 'Member', role: 'Member', password: PASSWORD } });
  const member = new SvcClient({ url });
  await member.signIn(email, PASSWORD);
  const { accessKey } = await member.call('accessKey');
  const pairs: KeyPair[] = [];
  for (let number = 0; number < TOKENS; number++) {
    const { token } = await member.createToken({ name: `reader ${number}` });
    pairs.push({ accessKey, token });
  }
  return pairs;
}

/** Opens a session of the Member, and sends commands until its log is full. */
async function fullLog({ url }: AppiumUnderTest, pairs: readonly KeyPair[]): Promise<string> {
  const agent = new Agent({ keepAlive: true });
  const call = callerOf(url, agent);
  const sessionId = await createSession(call, pairs[0], { 'appium:newCommandTimeout': 0 });
  const words = 'words of a test '.repeat(BYTES_OF_COMMAND / 16);
  for (let count = 0; count < COMMANDS; count++) {
    const pair = pairs[count % pairs.length] as KeyPair;
    await call('POST', `/session/${sessionId}/execute/sync`, {
      headers: keyPairHeaders(pair),
      json: { script: 'mobile: none', args: [{ one: words, count }] },
    });
  }
  agent.destroy();
  return sessionId;
}
