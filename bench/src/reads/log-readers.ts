import { setTimeout as after } from 'node:timers/promises';
import { type KeyPair, keyPairHeaders } from '@svc/client';
import { Agent, request } from 'undici';
import { argument, ready } from '../child.ts';

export interface LogReadersInput {
  readonly url: string;
  readonly sessionId: string;
  readonly pairs: readonly KeyPair[];
  readonly connections: number;
}

const { url, sessionId, pairs, connections } = argument<LogReadersInput>();
const dispatcher = new Agent({ connections, pipelining: 1 });
const counts: Record<number, number> = {};
let isOver = false;

/** Reads log and report in turn. After a 429, waits for as long as the server says. */
async function read(connection: number): Promise<void> {
  const headers = { ...keyPairHeaders(pairs[connection % pairs.length] as KeyPair) };
  for (let turn = connection; !isOver; turn++) {
    const path = `/svc/api/session/${sessionId}/${turn % 2 === 0 ? 'session_log' : 'report'}`;
    const { statusCode, headers: answered, body } = await request(url + path, { headers, dispatcher });
    await body.dump({ limit: Number.MAX_SAFE_INTEGER });
    counts[statusCode] = (counts[statusCode] ?? 0) + 1;
    if (statusCode === 429) await after(Number(answered['retry-after'] ?? 1) * 1_000);
  }
}

for (let connection = 0; connection < connections; connection++)
  void read(connection).catch((error: unknown) => {
    if (!isOver) console.error(error);
  });

ready(url, {}, async () => {
  isOver = true;
  console.error(`large reads by status: ${JSON.stringify(counts)}`);
  await dispatcher.destroy();
});
