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
 * A guided tour against a real lab in another process, with WebdriverIO as the client; only the phone is fake. Exits
 * non-zero if any step fails.
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
  const admin = await steps.step('The account of the first start signs in', async (tell) => {
    const person = await signIn(url, DEFAULT_ADMIN_EMAIL, DEFAULT_ADMIN_PASSWORD);
    const me = await person.client.me();
    tell(`POST /svc/api/auth/login: 204 and a cookie. /auth/me: ${me.email}, ${me.role}`);
    return person;
  });

  const pair = await steps.step('It makes a token, shown this once and stored as a hash', async (tell) => {
    const made = await makeToken(admin, 'demo');
    tell(`POST /svc/api/profile/tokens: token ${shown(made.token)} with scope ${made.scopes.join(', ')}`);
    tell(`it works together with the access key ${shown(made.accessKey)}`);
    return made;
  });

  const capabilities = await steps.step(
    'WebdriverIO asks for a session without credentials',
    async (tell) => {
      const info = (await (await fetch(`${url}/svc/lab.json`)).json()) as LabInfo;
      const refused = await failureOf(remote({ ...client(url), capabilities: info.capabilities }));
      expect(refused.includes('SVC_REQUIRE_SESSION_TOKEN'), `refused with: ${refused}`);
      tell(`refused, no phone was taken: ${refused.split('. ')[0]}`);
      return info.capabilities;
    },
  );

  const device = await steps.step('WebdriverIO asks again, with the pair in svc:options', async (tell) => {
    const { accessKey, token } = pair;
    const session = await remote({
      ...client(url, pair),
      capabilities: { ...capabilities, 'svc:options': { accessKey, token } } as WebdriverIO.Capabilities,
    });
    const echoed = JSON.stringify(session.capabilities);
    expect(!echoed.includes(token), 'the driver saw the token');
    const { udid } = session.capabilities as { udid?: string };
    tell(`session ${session.sessionId} on ${udid}, and the driver was given no credentials`);
    return session;
  });

  await steps.step('It drives the phone, the pair in the headers of every command', async (tell) => {
    const rows = await device.$$('//row').length;
    const search = device.$('#search');
    await search.setValue('plumber');
    const typed = await search.getText();
    const shot = await device.takeScreenshot();
    tell(`found ${rows} rows, typed "${typed}", took a screenshot of ${shot.length} characters`);
    expect(rows > 0 && typed === 'plumber' && shot.length > 0, 'that is not the app of the lab');
  });

  const bob = await steps.step('Bob, a Member with a token of his own, is invited', async (tell) => {
    await admin.client.call('createUser', { body: BOB });
    const made = await makeToken(await signIn(url, BOB.email, BOB.password), 'bob');
    tell(`his token ${shown(made.token)} has scopes ${made.scopes.join(', ')}`);
    return made;
  });

  await steps.step('Bob knows the session id and tries to drive the phone', async (tell) => {
    const intruder = await attach({ ...client(url, bob), sessionId: device.sessionId, capabilities });
    const refused = await failureOf(intruder.getPageSource());
    expect(/invalid session id|terminated or not started/.test(refused), `refused with: ${refused}`);
    tell(`refused: ${refused.split('\n')[0]}`);
    const his = await commandAnswer(url, device.sessionId, keyPairHeaders(bob));
    const unknown = await commandAnswer(url, randomUUID(), keyPairHeaders(bob));
    const nobody = await commandAnswer(url, device.sessionId, {});
    expect(his.status === 404 && his.text === unknown.text, 'his answer tells that the session exists');
    expect(nobody.status === 404 && nobody.text === his.text, 'without headers the answer differs');
    tell(`${his.status} ${his.text}`);
    tell('the same bytes as for an id that never was, and for no credentials at all');
  });

  await steps.step('The owner still drives it, and ends it', async (tell) => {
    const typed = await device.$('#search').getText();
    await device.deleteSession();
    expect(typed === 'plumber', `the field holds "${typed}"`);
    tell(`the field still holds "${typed}"; the session is ended`);
  });

  await findNoSecrets(lab, [pair, bob], [admin.cookie, BOB.password]);
}

async function findNoSecrets(
  lab: LabProcess,
  pairs: readonly Pair[],
  others: readonly string[],
): Promise<void> {
  const secrets = [...pairs.map(({ token }) => token), ...others];
  const searchData = (when: string, tell: (line: string) => void) => {
    const { files, bytes, found } = searchFolder(lab.dataDir, secrets);
    expect(
      files > 0 && found.length === 0,
      `a secret is in ${found.join(', ') || 'no file: there are none'}`,
    );
    tell(`data folder ${when}: ${files} files, ${bytes} bytes, clean`);
  };
  await steps.step(
    'Every byte of its data is searched for the secrets used, and it is ended',
    async (tell) => {
      searchData('while it runs', tell);
      const { code, seconds } = await lab.stop();
      expect(code === 0, `it ended with ${code}`);
      tell(`SIGTERM: exit ${code} after ${seconds.toFixed(1)} s`);
      searchData('afterwards', tell);
    },
  );
  await steps.step('So is its log, at debug level', async (tell) => {
    const log = lab.output();
    const refusal = log.split('\n').find((line) => line.includes('Command refused:'));
    expect(refusal !== undefined, 'the log does not tell of the refusal');
    expect(!secrets.some((secret) => log.includes(secret)), 'the log holds a secret');
    tell(`${log.split('\n').length} lines, clean; Bob is in it:`);
    tell(refusal.slice(refusal.indexOf('Command refused:')));
  });
}

interface LabInfo {
  readonly capabilities: WebdriverIO.Capabilities;
}

/** How WebdriverIO reaches the lab; headers given here are sent with the create and with every command. */
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
  throw new Error('it was let through');
}

endOnClosedPipe(() => process.exit(1));
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(1));
try {
  console.log('svc, a guided tour: every line below has just happened.');
  const lab = await steps.step(
    'A lab starts: credentials required, full log, empty data folder',
    async (tell) => {
      const started = await startLabProcess();
      tell(`svc ready on ${started.url}`);
      return started;
    },
  );
  await tour(lab);
  console.log('\nAll of it went as told.');
} catch (error) {
  console.error(`\n      did not work: ${error instanceof Error ? error.message : error}`);
  process.exitCode = 1;
}
process.exit();
