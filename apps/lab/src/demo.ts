import { randomUUID } from 'node:crypto';
import { endOnClosedPipe } from '@svc/api';
import { keyPairHeaders } from '@svc/client';
import { DEFAULT_ADMIN_EMAIL, DEFAULT_ADMIN_PASSWORD } from '@svc/contract';
import { attach, remote } from 'webdriverio';
import { makeToken, type Pair, signIn } from './demo/api.ts';
import { type LabProcess, startLabProcess } from './demo/lab-process.ts';
import { searchFolder } from './demo/search.ts';
import { expect, Steps, shown } from './demo/steps.ts';

/*
 * A guided tour of a real lab in another process, with WebdriverIO as the client. Only the phone is fake. Exits with a
 * code other than 0 if a step fails.
 */

const BOB = {
  email: 'bob@example.test',
  name: 'Bob',
  role: 'Member',
  password: `bob-${randomUUID()}`,
} as const;
const steps = new Steps();

async function tour(lab: LabProcess): Promise<void> {
  const { url } = lab;
  const admin = await steps.step('The account of the first start signs in', async (print) => {
    const person = await signIn(url, DEFAULT_ADMIN_EMAIL, DEFAULT_ADMIN_PASSWORD);
    const me = await person.client.me();
    print(`POST /svc/api/auth/login: 204 and a cookie. /auth/me: ${me.email}, ${me.role}`);
    return person;
  });

  const pair = await steps.step('It makes a token, shown this once and stored as a hash', async (print) => {
    const made = await makeToken(admin, 'demo');
    print(`POST /svc/api/profile/tokens: token ${shown(made.token)} with scope ${made.scopes.join(', ')}`);
    print(`it works together with the access key ${shown(made.accessKey)}`);
    return made;
  });

  const capabilities = await steps.step(
    'WebdriverIO asks for a session without credentials',
    async (print) => {
      const info = (await (await fetch(`${url}/svc/lab.json`)).json()) as LabInfo;
      const refused = await failureOf(remote({ ...client(url), capabilities: info.capabilities }));
      expect(refused.includes('SVC_REQUIRE_SESSION_TOKEN'), `refused with: ${refused}`);
      print(`refused, no phone was taken: ${refused.split('. ')[0]}`);
      return info.capabilities;
    },
  );

  const device = await steps.step('WebdriverIO asks again, with the pair in svc:options', async (print) => {
    const { accessKey, token } = pair;
    const session = await remote({
      ...client(url, pair),
      capabilities: { ...capabilities, 'svc:options': { accessKey, token } } as WebdriverIO.Capabilities,
    });
    const echoed = JSON.stringify(session.capabilities);
    expect(!echoed.includes(token), 'the driver saw the token');
    const { udid } = session.capabilities as { udid?: string };
    print(`session ${session.sessionId} on ${udid}, and the driver was given no credentials`);
    return session;
  });

  await steps.step('It drives the phone, the pair in the headers of every command', async (print) => {
    const rows = await device.$$('//row').length;
    const search = device.$('#search');
    await search.setValue('plumber');
    const typed = await search.getText();
    const shot = await device.takeScreenshot();
    print(`found ${rows} rows, typed "${typed}", took a screenshot of ${shot.length} characters`);
    expect(rows > 0 && typed === 'plumber' && shot.length > 0, 'this is not the app of the lab');
  });

  const bob = await steps.step('Bob, a Member with a token of his own, is invited', async (print) => {
    await admin.client.call('createUser', { body: BOB });
    const made = await makeToken(await signIn(url, BOB.email, BOB.password), 'bob');
    print(`his token ${shown(made.token)} has scopes ${made.scopes.join(', ')}`);
    return made;
  });

  await steps.step('Bob knows the session id and tries to drive the phone', async (print) => {
    const intruder = await attach({ ...client(url, bob), sessionId: device.sessionId, capabilities });
    const refused = await failureOf(intruder.getPageSource());
    expect(/invalid session id|terminated or not started/.test(refused), `refused with: ${refused}`);
    print(`refused: ${refused.split('\n')[0]}`);
    const his = await commandAnswer(url, device.sessionId, keyPairHeaders(bob));
    const unknown = await commandAnswer(url, randomUUID(), keyPairHeaders(bob));
    const anonymous = await commandAnswer(url, device.sessionId, {});
    expect(his.status === 404 && his.text === unknown.text, 'his response reveals that the session exists');
    expect(anonymous.status === 404 && anonymous.text === his.text, 'without headers the response differs');
    print(`${his.status} ${his.text}`);
    print('the same bytes as for an unknown id, and as without credentials');
  });

  await steps.step('The owner still drives it, and ends it', async (print) => {
    const typed = await device.$('#search').getText();
    await device.deleteSession();
    expect(typed === 'plumber', `the field contains "${typed}"`);
    print(`the field still contains "${typed}"; the session is ended`);
  });

  await findNoSecrets(lab, [pair, bob], [admin.cookie, BOB.password]);
}

async function findNoSecrets(
  lab: LabProcess,
  pairs: readonly Pair[],
  others: readonly string[],
): Promise<void> {
  const secrets = [...pairs.map(({ token }) => token), ...others];
  const searchData = (when: string, print: (line: string) => void) => {
    const { files, bytes, found } = searchFolder(lab.dataDir, secrets);
    expect(
      files > 0 && found.length === 0,
      `a secret is in ${found.join(', ') || 'no file: there are none'}`,
    );
    print(`data folder ${when}: ${files} files, ${bytes} bytes, clean`);
  };
  await steps.step('All of its data is searched for the secrets, and it shuts down', async (print) => {
    searchData('while it runs', print);
    const { code, seconds } = await lab.stop();
    expect(code === 0, `it ended with ${code}`);
    print(`SIGTERM: exit ${code} after ${seconds.toFixed(1)} s`);
    searchData('afterwards', print);
  });
  await steps.step('Its log at debug level is searched too', async (print) => {
    const log = lab.output();
    const refusal = log.split('\n').find((line) => line.includes('Command refused:'));
    expect(refusal !== undefined, 'the log does not contain the refusal');
    expect(!secrets.some((secret) => log.includes(secret)), 'the log contains a secret');
    print(`${log.split('\n').length} lines, clean; Bob is in it:`);
    print(refusal.slice(refusal.indexOf('Command refused:')));
  });
}

interface LabInfo {
  readonly capabilities: WebdriverIO.Capabilities;
}

/**
 * Returns the options with which WebdriverIO connects to the lab. It sends the headers with the create-session request
 * and with every command.
 */
function client(url: string, pair?: Pair) {
  const { hostname, port } = new URL(url);
  return {
    protocol: 'http',
    hostname,
    port: Number(port),
    path: '/',
    logLevel: 'silent' as const,
    connectionRetryCount: 0,
    headers: pair === undefined ? {} : keyPairHeaders(pair),
  };
}

async function commandAnswer(url: string, sessionId: string, headers: Record<string, string>) {
  const answer = await fetch(`${url}/session/${sessionId}/source`, { headers });
  return { status: answer.status, text: await answer.text() };
}

async function failureOf(work: Promise<unknown>): Promise<string> {
  try {
    await work;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
  throw new Error('it was not refused');
}

endOnClosedPipe(() => process.exit(1));
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(1));
try {
  console.log('svc, a guided tour: everything below happens right now.');
  const lab = await steps.step(
    'A lab starts: credentials required, full log, empty data folder',
    async (print) => {
      const started = await startLabProcess();
      print(`svc ready on ${started.url}`);
      return started;
    },
  );
  await tour(lab);
  console.log('\nAll steps succeeded.');
} catch (error) {
  console.error(`\n      failed: ${error instanceof Error ? error.message : error}`);
  process.exitCode = 1;
}
process.exit();
