import { signal } from '@preact/signals';
import { socketAddress } from '../api/addresses.ts';
import { ApiError } from '../api/api-error.ts';
import { call } from '../api/client.ts';
import { type EventSocket, EventsConnection, type LiveEvent } from './events-connection.ts';

export type { LiveEvent } from './events-connection.ts';

type Handler = (event: LiveEvent) => void;

/** A shorter interruption is not shown. */
const QUIET_MS = 2_000;

/** Whether the shown data follows the lab. */
export const live = signal<'live' | 'lost'>('live');

const handlers = new Map<string, Set<Handler>>();

/** Registers a handler for events of a type, or of all types with `*`. The returned function removes it. */
export function onLiveEvent(type: string, handler: Handler): () => void {
  const ofType = handlers.get(type) ?? new Set();
  handlers.set(type, ofType.add(handler));
  return () => void ofType.delete(handler);
}

let line: EventsConnection | undefined;

/** Called before a sign-out, so that the closed connection is neither reported nor reopened. */
export function closeLiveLine(): void {
  line?.close();
}

/** Opens and keeps the page's connection. The shell calls it, and calls it again after a failed sign-out. */
export function openLiveLine(): void {
  let silence: ReturnType<typeof setTimeout> | undefined;
  const opened = new EventsConnection(
    {
      // If the sign-in has ended, this opens the sign-in page.
      ticket: async () => (await call('issueEventsTicket')).ticket,
      open: (query) => new WebSocket(`${socketAddress('/events')}?${query}`) as EventSocket,
      // A credential that may not see events gets none.
      isOver: (error) => error instanceof ApiError && error.status === 403,
      after: (ms, task) => {
        const timer = setTimeout(task, ms);
        return () => clearTimeout(timer);
      },
      random: Math.random,
    },
    {
      event: dispatch,
      live: (missed) => {
        clearTimeout(silence);
        silence = undefined;
        live.value = 'live';
        if (missed) dispatch({ type: 'history_lost', at: new Date().toISOString(), payload: {} });
      },
      lost: () => {
        silence ??= setTimeout(() => {
          live.value = 'lost';
        }, QUIET_MS);
      },
      over: () => {},
    },
  );
  line = opened;
  opened.start();
  addEventListener('online', () => opened.retryNow());
  document.addEventListener('visibilitychange', () => {
    if (document.visibilityState === 'visible') opened.retryNow();
  });
}

function dispatch(event: LiveEvent): void {
  for (const type of [event.type, '*']) for (const handler of handlers.get(type) ?? []) handler(event);
}
