import { signal } from '@preact/signals';
import type { LiveEvent } from '@svc/contract';
import { socketAddress } from '../api/addresses.ts';
import { ApiError } from '../api/api-error.ts';
import { call } from '../api/client.ts';
import { type EventSocket, EventsConnection } from './events-connection.ts';

type Type = LiveEvent['type'];
/** Handler of the events of one type, which is the key under which `handlers` has it. */
type Handler = (event: never) => void;

/** Milliseconds that a lost connection may take to reconnect before the page shows the interruption. */
const QUIET_MS = 2_000;

/** State of the live connection. While it is `lost`, the shown data may be outdated. */
export const live = signal<'live' | 'lost'>('live');

const handlers = new Map<Type, Set<Handler>>();

/** Registers a handler for events of one type. The returned function removes the handler. */
export function onLiveEvent<T extends Type>(type: T, handler: (event: LiveEvent<T>) => void): () => void {
  const ofType = handlers.get(type) ?? new Set();
  handlers.set(type, ofType.add(handler));
  return () => void ofType.delete(handler);
}

let line: EventsConnection | undefined;

/**
 * Closes the page's connection for live events. Called before a sign-out, so that the page neither reports that the
 * connection was lost nor reopens it.
 */
export function closeLiveLine(): void {
  line?.close();
}

/**
 * Opens the page's connection for live events and reopens it when it is lost. Called when a page for signed-in users
 * opens, and again after a failed sign-out.
 */
export function openLiveLine(): void {
  let silence: ReturnType<typeof setTimeout> | undefined;
  const opened = new EventsConnection(
    {
      // If the sign-in has ended, `call` opens the sign-in page instead of returning.
      ticket: async () => (await call('issueEventsTicket')).ticket,
      open: (query) => new WebSocket(`${socketAddress('/events')}?${query}`) as EventSocket,
      // 403: this credential does not allow events, so trying again would be useless.
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
        if (missed) dispatch({ type: 'history_lost', at: new Date().toISOString(), payload: { lost: [] } });
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
  for (const handler of handlers.get(event.type) ?? []) handler(event as never);
}
