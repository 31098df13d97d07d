import { signal } from '@preact/signals';
import { socketAddress } from '../api/addresses.ts';
import { ApiError } from '../api/api-error.ts';
import { call } from '../api/client.ts';
import { type EventSocket, EventsConnection, type LiveEvent } from './events-connection.ts';

export type { LiveEvent } from './events-connection.ts';

type Handler = (event: LiveEvent) => void;

/** A line that is back by then was not worth a word. */
const QUIET_MS = 2_000;

/** Whether what is shown follows the lab. */
export const live = signal<'live' | 'lost'>('live');

const handlers = new Map<string, Set<Handler>>();

/** `*` hears everything. The returned function ends it. */
export function onLiveEvent(type: string, handler: Handler): () => void {
  const ofType = handlers.get(type) ?? new Set();
  handlers.set(type, ofType.add(handler));
  return () => void ofType.delete(handler);
}

let line: EventsConnection | undefined;

/** Ahead of a sign-out: that the server closes it is no loss then, and asks for no new ticket. */
export function closeLiveLine(): void {
  line?.close();
}

/** Opens the page's one connection and keeps it; called by the shell, and again when a sign-out has failed. */
export function openLiveLine(): void {
  let silence: ReturnType<typeof setTimeout> | undefined;
  const opened = new EventsConnection(
    {
      // Leaves the page when the sign-in has ended.
      ticket: async () => (await call('issueEventsTicket')).ticket,
      open: (query) => new WebSocket(`${socketAddress('/events')}?${query}`) as EventSocket,
      // A credential without a right to events stays without them.
      isOver: (error) => error instanceof ApiError && error.status === 403,
      after: (ms, task) => {
        const timer = setTimeout(task, ms);
        return () => clearTimeout(timer);
      },
      random: Math.random,
    },
    {
      event: tell,
      live: (missed) => {
        clearTimeout(silence);
        silence = undefined;
        live.value = 'live';
        if (missed) tell({ type: 'history_lost', at: new Date().toISOString(), payload: {} });
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

function tell(event: LiveEvent): void {
  for (const type of [event.type, '*']) for (const handler of handlers.get(type) ?? []) handler(event);
}
