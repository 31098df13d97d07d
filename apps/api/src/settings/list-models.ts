import { request as httpRequest, type IncomingMessage } from 'node:http';
import { request as httpsRequest } from 'node:https';
import { isRecord } from '@svc/contract';
import type { Outbound } from '@svc/outbound';
import type { AiAddress } from '@svc/settings';

/**
 * The ids of an AI provider's models, or a message that says why they cannot be listed. The message never quotes the
 * response.
 */
export type ModelList =
  | { readonly ok: true; readonly models: string[] }
  | { readonly ok: false; readonly message: string };

/** Time limit of a request to an AI provider (ms) (specification 8.2). */
const PATIENCE_MS = 120_000;
const LARGEST_ANSWER = 1024 * 1024;
const MOST_MODELS = 200;
const MODEL_ID = /^[^\p{Cc}\p{Cs}\p{Zl}\p{Zp}]{1,200}$/u;

class AskingFailed extends Error {}

/**
 * Sends `GET <base URL>/models` to an OpenAI-compatible API. Redirects are not followed, because a redirect would send
 * the API key to another address.
 * @param signal aborts the request when the client has disconnected
 */
export async function listModels(
  { baseUrl, apiKey }: AiAddress,
  outbound: Outbound,
  signal: AbortSignal,
): Promise<ModelList> {
  const timeUp = new AbortController();
  const timer = setTimeout(() => timeUp.abort(), PATIENCE_MS);
  try {
    const answer = await asked(
      `${baseUrl}/models`,
      apiKey,
      outbound,
      AbortSignal.any([signal, timeUp.signal]),
    );
    return { ok: true, models: modelsIn(await bodyOf(answer)) };
  } catch (error) {
    const seconds = PATIENCE_MS / 1000;
    const message = timeUp.signal.aborted ? `No answer within ${seconds} seconds` : failureOf(error);
    return { ok: false, message };
  } finally {
    clearTimeout(timer);
  }
}

function asked(
  url: string,
  apiKey: string | null,
  outbound: Outbound,
  signal: AbortSignal,
): Promise<IncomingMessage> {
  const headers = {
    accept: 'application/json',
    ...(apiKey === null ? {} : { authorization: `Bearer ${apiKey}` }),
  };
  const request = url.startsWith('https:') ? httpsRequest : httpRequest;
  return new Promise((answered, failed) => {
    // The request has its own connection, which is closed when the request ends.
    request(url, { headers, signal, ...outbound.connection(new URL(url)) })
      .on('response', answered)
      .on('error', failed)
      // Without this listener the promise would stay pending if the server upgrades the connection, because Node.js
      // then emits only `close`.
      .on('close', () => failed(new AskingFailed('The address did not respond')))
      .end();
  });
}

async function bodyOf(answer: IncomingMessage): Promise<string> {
  const { statusCode: status = 0 } = answer;
  if (status !== 200) {
    answer.destroy();
    throw new AskingFailed(
      status >= 300 && status < 400
        ? `The address redirects (status ${status}), which is not followed`
        : `The address answered with status ${status}`,
    );
  }
  const parts: Buffer[] = [];
  let size = 0;
  for await (const part of answer as AsyncIterable<Buffer>) {
    size += part.length;
    // An error that is thrown in this loop also closes the connection.
    if (size > LARGEST_ANSWER) throw new AskingFailed('The response is larger than 1 MiB');
    parts.push(part);
  }
  return Buffer.concat(parts).toString('utf8');
}

function modelsIn(text: string): string[] {
  const body = parsed(text);
  const rows = isRecord(body) ? body.data : undefined;
  if (!Array.isArray(rows)) throw new AskingFailed('The response is not a list of models');
  return rows
    .map((row) => (isRecord(row) ? row.id : undefined))
    .filter((id): id is string => typeof id === 'string' && MODEL_ID.test(id))
    .slice(0, MOST_MODELS);
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/**
 * @returns a message with the code of the network failure; the error's own message is left out, because it may quote
 * the response
 */
function failureOf(error: unknown): string {
  if (error instanceof AskingFailed) return error.message;
  const code = (error as { code?: unknown } | null)?.code;
  const name = typeof code === 'string' && /^[A-Z0-9_]{1,64}$/.test(code) ? ` (${code})` : '';
  return `The address cannot be reached${name}`;
}
