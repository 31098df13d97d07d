import { afterAll, beforeAll, expect, it } from 'vitest';
import { type RunningServer, startLab } from '../support/lab.ts';
import { until } from '../support/records.ts';
import { createSession, makePerson, type Person, pairOf, superAdmin } from '../support/sessions.ts';
import { close, upgrade } from '../support/web-socket.ts';
import { type Camera, startCamera } from './camera.ts';

/** Every way to the picture of a phone while somebody else's session runs on it, with `SVC_PREVIEW=own`. */

const PHONE = 'camera';

let camera: Camera;
let lab: RunningServer;
let admin: string;
let ana: Person;
let bob: Person;

beforeAll(async () => {
  camera = await startCamera();
  const { mjpegUrl, h264Url } = camera;
  const listed = [{ udid: PHONE, name: 'Camera', platform: 'Fake', osVersion: '1', mjpegUrl, h264Url }];
  lab = await startLab({
    env: {
      SVC_REQUIRE_COMMAND_AUTH: 'true',
      SVC_PREVIEW: 'own',
      SVC_SPECTATORS: 'anyone',
      SVC_RECORDING: 'all',
      SVC_DEVICES: JSON.stringify(listed),
    },
  });
  admin = await superAdmin(lab);
  [ana, bob] = [
    await makePerson(lab, admin, 'ana@example.org'),
    await makePerson(lab, admin, 'bob@example.org'),
  ];
});
afterAll(async () => {
  await lab?.stop();
  camera?.close();
});

type As = { readonly cookie: string };

const post = (path: string, { cookie }: As, json: object = {}) =>
  lab.api(path, { method: 'POST', headers: { cookie }, json });
const remove = (path: string, { cookie }: As) => lab.api(path, { method: 'DELETE', headers: { cookie } });
const path = (what: string) => `/control/${PHONE}${what}`;

async function ticketOf(who: As): Promise<string> {
  const answer = await post(path('/stream/ticket'), who);
  expect(answer.status).toBe(200);
  return ((await answer.json()) as { ticket: string }).ticket;
}

/** Status of a response, with its error code if it is a refusal. The body of a stream is not read. */
async function outcome(answer: Response): Promise<string> {
  if (answer.ok) {
    await answer.body?.cancel();
    return String(answer.status);
  }
  return `${answer.status} ${((await answer.json()) as { error: string }).error}`;
}

/** Asks for the picture of the phone in every way. */
async function ways(who: As, session?: string): Promise<Record<string, string>> {
  const h264 = await upgrade(lab.url, `/svc/api${path('/stream/h264')}?ticket=${await ticketOf(who)}`);
  await close(h264.socket);
  const { mjpeg, h264: hasVideo } = (await (
    await lab.api(path('/streams'), { headers: { cookie: who.cookie } })
  ).json()) as Record<string, boolean>;
  const shot = lab.api(path('/screenshot'), { headers: { cookie: who.cookie } });
  const showing = setInterval(() => camera.show('a picture'), 20);
  const found: Record<string, string> = {
    sources: `${mjpeg} ${hasVideo}`,
    mjpeg: await outcome(await lab.api(`${path('/stream')}?ticket=${await ticketOf(who)}`)),
    h264: String(h264.status),
    screenshot: await outcome(await shot),
    link: await outcome(await post(path('/watch'), who, { for: 'anyone' })),
  };
  clearInterval(showing);
  if (session !== undefined) {
    const at = encodeURIComponent(new Date().toISOString());
    for (const what of ['/recording', `/recording/picture?at=${at}`, '/report', '/session_log'])
      found[what.split('?', 1)[0] as string] = await outcome(
        await lab.api(`/session/${session}${what}`, { headers: { cookie: who.cookie } }),
      );
  }
  return found;
}

const SHOWN = { sources: 'true true', mjpeg: '200', h264: '101', screenshot: '200' };
const HIDDEN = {
  sources: 'false false',
  mjpeg: '404 no_such_source',
  h264: '404',
  screenshot: '404 no_such_source',
  link: '409 device_not_yours',
};

it('SVC_PREVIEW=own shows the picture of a session to its owner and to override admins in every way, and to nobody else (contract 2 /control)', async () => {
  const created = await createSession(lab.url, pairOf(ana), { capabilities: { 'appium:udid': PHONE } });
  expect(created.status, JSON.stringify(created.body)).toBe(200);
  const { sessionId } = created.body.value;
  await until(
    async () => {
      camera.show('a picture');
      return (await lab.api(`/session/${sessionId}/recording`, { headers: { cookie: ana.cookie } })).json();
    },
    (recording) => (recording as { pictures: number }).pictures > 0,
  );
  expect(await ways(ana, sessionId)).toEqual({
    ...SHOWN,
    link: '201',
    '/recording': '200',
    '/recording/picture': '200',
    '/report': '200',
    '/session_log': '200',
  });
  expect(await ways(bob, sessionId)).toEqual({
    ...HIDDEN,
    '/recording': '404 not_found',
    '/recording/picture': '404 not_found',
    '/report': '404 not_found',
    '/session_log': '404 not_found',
  });
  // An override admin sees the picture, but only the owner shows it to others.
  expect(await ways({ cookie: admin })).toEqual({ ...SHOWN, link: '409 device_not_yours' });
  expect((await remove(`/session/${sessionId}`, ana)).status).toBe(204);
});

it('streams, tickets and links of the holder of a lease show nothing of a session that somebody else starts with the lease token (contract 2 /control)', async () => {
  const leased = await post('/leases', bob, { udid: PHONE, minutes: 5 });
  const { leaseId, leaseToken } = (await leased.json()) as { leaseId: string; leaseToken: string };
  const made = (await (await post(path('/watch'), bob, { for: 'anyone' })).json()) as { url: string };
  const secret = made.url.slice(made.url.indexOf('#') + 1);
  const openLink = async () => post('/watch/anyone', { cookie: '' }, { secret });
  const { ticket: spectator } = (await (await openLink()).json()) as { ticket: string };
  const unused = ((await (await openLink()).json()) as { ticket: string }).ticket;
  const early = await ticketOf(bob);
  const streams = await Promise.all(
    [`${path('/stream')}?ticket=${await ticketOf(bob)}`, `/watch/stream?ticket=${spectator}`].map((each) =>
      lab.api(each),
    ),
  );
  expect(streams.map(({ status }) => status)).toEqual([200, 200]);
  const created = await createSession(
    lab.url,
    { ...pairOf(ana), leaseId, leaseToken },
    { capabilities: { 'appium:udid': PHONE } },
  );
  expect(created.status, JSON.stringify(created.body)).toBe(200);
  for (const { body } of streams) expect(await drained(body)).toBe('ended');
  expect(await outcome(await lab.api(`${path('/stream')}?ticket=${early}`))).toBe('404 no_such_source');
  expect(await outcome(await lab.api(`/watch/stream?ticket=${unused}`))).toBe('401 invalid ticket');
  expect((await openLink()).status).toBe(404);
  expect(await ways(bob)).toEqual(HIDDEN);
  expect(await ways(ana)).toEqual({ ...SHOWN, link: '201' });
  await remove(`/session/${created.body.value.sessionId}`, ana);
  expect(await ways(bob)).toEqual({ ...SHOWN, link: '201' });
  await remove(`/leases/${leaseId}`, bob);
});

it('screenshots that wait for a picture take no more places of a phone than streams of the account (contract 2 /control)', async () => {
  // A new viewer of a stream that is still open would get its latest picture.
  await until(
    async () => camera.open.size,
    (count) => count === 0,
  );
  const outcomes: string[] = [];
  const all = Array.from({ length: 20 }, async () => {
    outcomes.push(await outcome(await lab.api(path('/screenshot'), { headers: { cookie: bob.cookie } })));
  });
  await until(
    async () => outcomes,
    ({ length }) => length >= 12,
  );
  const stream = await lab.api(`${path('/stream')}?ticket=${await ticketOf(ana)}`);
  expect(stream.status).toBe(200);
  await stream.body?.cancel();
  const showing = setInterval(() => camera.show('a picture'), 20);
  await Promise.all(all);
  clearInterval(showing);
  expect(outcomes).toEqual([...Array(12).fill('503 overloaded'), ...Array(8).fill('200')]);
});

/** Reads a stream until the server ends it. */
async function drained(body: ReadableStream<Uint8Array> | null): Promise<string> {
  const reader = body?.getReader();
  try {
    while ((await reader?.read())?.done === false);
  } catch {
    // The server cut the connection.
  }
  return 'ended';
}
