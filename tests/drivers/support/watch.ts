import { get } from 'node:http';
import type { RunningServer } from '../../support/lab.ts';
import { until } from '../../support/records.ts';
import type { Person } from '../../support/sessions.ts';
import { upgrade } from '../../support/web-socket.ts';

async function ticketOf(lab: RunningServer, viewer: Person, udid: string): Promise<string> {
  const init = { method: 'POST', headers: { cookie: viewer.cookie } };
  const answer = await lab.api(`/control/${udid}/stream/ticket`, init);
  return ((await answer.json()) as { ticket: string }).ticket;
}

/** Opens the preview of a phone and resolves when it has sent a picture, as PNG or JPEG. */
export async function seePicture(lab: RunningServer, viewer: Person, udid: string): Promise<void> {
  const url = `${lab.url}/svc/api/control/${udid}/stream?ticket=${await ticketOf(lab, viewer, udid)}`;
  await new Promise<void>((seen, failed) => {
    let text = '';
    const asked = get(url, { agent: false }, (response) => {
      response.setEncoding('latin1').on('data', (bytes: string) => {
        text += bytes;
        if (!/PNG|JFIF/.test(text)) return;
        asked.destroy();
        seen();
      });
      response.on('error', () => undefined);
      response.once('close', () => failed(new Error(`the stream ended after: ${text.slice(0, 200)}`)));
    });
    asked.on('error', failed);
  });
}

/** Opens the device log, calls `write`, and resolves when the log has a line with the text. */
export async function seeLine(
  lab: RunningServer,
  viewer: Person,
  udid: string,
  text: string,
  write: () => void,
): Promise<void> {
  const target = `/svc/api/control/${udid}/logs?ticket=${await ticketOf(lab, viewer, udid)}`;
  const { status, socket } = await upgrade(lab.url, target);
  if (socket === undefined) throw new Error(`the log answered ${status}`);
  let lines = '';
  socket.on('message', (message: Buffer) => {
    lines += message;
  });
  write();
  await until(
    async () => lines,
    (all) => all.includes(text),
  );
  socket.close();
}
