import { once } from 'node:events';
import { get, type IncomingMessage } from 'node:http';
import { argument, ready } from '../child.ts';
import { ticketOf } from './ticket.ts';
import { viewerCookie } from './viewer-cookie.ts';

export interface ViewersInput {
  readonly url: string;
  readonly cookie: string;
  readonly udid: string;
  readonly viewers: number;
  /** Number of viewers that read nothing; they may lose frames, but must not cost memory. */
  readonly stuck: number;
}

const { url, cookie, udid, viewers, stuck } = argument<ViewersInput>();
const stream = `/control/${udid}/stream`;
const open: IncomingMessage[] = [];
/** Maximum number of streams of one account and phone. */
const OF_ACCOUNT = 8;
let own = cookie;
for (let count = 0; count < viewers; count += 1) {
  if (count % OF_ACCOUNT === 0 && count > 0) own = await viewerCookie(url, cookie);
  const ticket = await ticketOf(url, own, `${stream}/ticket`);
  const asked = get(`${url}/svc/api${stream}?ticket=${ticket}`, { agent: false });
  const [answer] = (await once(asked, 'response')) as [IncomingMessage];
  if (answer.statusCode !== 200) throw new Error(`a viewer got ${answer.statusCode}`);
  answer.on('error', () => undefined);
  if (count < stuck) answer.pause();
  else answer.on('data', () => undefined);
  open.push(answer);
}

ready(url, {}, async () => {
  for (const answer of open) answer.destroy();
});
