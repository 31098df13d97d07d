import { labStores } from '@svc/store-sqlite/testing';
import { CommandLog } from '../src/command-log/command-log.ts';
import { type ObservedCommand, TooLarge } from '../src/command-log/entry.ts';

export const DAY_MS = 24 * 60 * 60 * 1000;

export interface RequestInput {
  readonly session?: string;
  readonly method?: string;
  readonly route?: string;
  readonly body?: unknown;
  readonly response?: unknown;
  readonly status?: number;
  readonly at?: number;
}

/**
 * @returns a command in the form in which the gate observes it. `response` is sent as JSON, or unchanged if it is a
 * text.
 */
export function seen({
  session = 's1',
  method = 'POST',
  route = '/url',
  body,
  response,
  status = 200,
  at = 1,
}: RequestInput) {
  let text =
    response === undefined || typeof response === 'string' || response instanceof TooLarge
      ? response
      : JSON.stringify(response);
  let kept = body;
  return {
    sessionId: session,
    ownerId: null,
    at,
    method,
    path: `/wd/hub/session/${session}${route}`,
    status,
    durationMs: 3,
    size: JSON.stringify([body, text])?.length ?? 0,
    get body() {
      return kept;
    },
    response: () => text,
    shed: () => {
      text = undefined;
      kept = undefined;
    },
  } satisfies ObservedCommand;
}

/** @returns a command log with a store in memory, whose clock shows day 100 after 1970 */
export function newLog() {
  const store = labStores().commands;
  const told: string[] = [];
  const now = 100 * DAY_MS;
  const log = new CommandLog({
    store,
    clock: { now: () => now },
    log: { debug() {}, info() {}, warn: (text) => told.push(text), error: (text) => told.push(text) },
    retentionDays: () => 30,
  });
  const rowOf = (input: RequestInput) => {
    log.add(seen(input));
    const row = [...log.read(input.session ?? 's1')].at(-1);
    if (row === undefined) throw new Error('no row');
    return row;
  };
  return { store, log, told, now, rowOf };
}
