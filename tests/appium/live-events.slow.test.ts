import { afterAll, expect, it } from 'vitest';
import { type EventFrame, eventsTicket, openEvents } from '../support/event-stream.ts';
import { type RunningServer, signIn, startLab } from '../support/lab.ts';
import { createSession } from '../support/sessions.ts';
import { upgrade } from '../support/web-socket.ts';

let lab: RunningServer;
afterAll(() => lab?.stop());

it('events resumed after a SIGKILL report that the history is gone, the log remains, and tickets are spent (specification 6, contract 4)', async () => {
  lab = await startLab();
  const root = { cookie: await signIn(lab.url) };
  const eventLog = async () =>
    ((await (await lab.api('/event-log', { headers: root })).json()) as { items: EventFrame[] }).items;
  const ticket = await eventsTicket(lab.url, root);
  const target = `/svc/api/events?ticket=${ticket}`;
  (await upgrade(lab.url, target)).socket?.terminate();
  const before = await openEvents(lab.url, root);
  const id = (await createSession(lab.url, undefined)).body.value.sessionId;
  const isStart = ({ type, payload }: EventFrame) => type === 'session_started' && payload.id === id;
  const started = await before.until(isStart);
  expect((await eventLog()).some(isStart)).toBe(true);
  await lab.stop('SIGKILL');
  expect(await before.closed).toBe(1006);
  lab = await startLab({ dataDir: lab.dataDir });
  expect((await upgrade(lab.url, target)).status).toBe(401);
  const after = await openEvents(lab.url, root, started.id);
  expect((await after.until(() => true)).type).toBe('history_lost');
  await after.close();
  const log = await eventLog();
  expect(log.some(isStart)).toBe(true);
  expect(
    log.find(({ type, payload }) => type === 'session_ended' && payload.id === id)?.payload,
  ).toMatchObject({
    failureCategory: 'Hub Restart',
  });
});
