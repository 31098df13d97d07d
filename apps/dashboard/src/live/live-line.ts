import { signal } from '@preact/signals';
import { socketAddress } from '../api/addresses.ts';
import { ApiError } from '../api/api-error.ts';
import { call } from '../api/client.ts';

export interface LiveEvent {
  /** Absent on `history_lost`: events were missed, so what is shown is loaded anew. */
  readonly id?: string;
  readonly type: string;
  /** ISO 8601 UTC. */
  readonly at: string;
  readonly payload: Readonly<Record<string, unknown>>;
}
type Handler = (event: LiveEvent) => void;

const FIRST_RETRY_MS = 500;
const LONGEST_RETRY_MS = 15_000;
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

let lastId: string | undefined;
let wasOpen = false;
let failures = 0;
let silence: ReturnType<typeof setTimeout> | undefined;

/**
 * The page's one connection. A line that is lost is opened again with a new ticket, behind the last event; the call for
 * the ticket leaves the page when the sign-in has ended.
 */
export async function openLiveLine(): Promise<void> {
  try {
    const { ticket } = await call('issueEventsTicket');
    connect(ticket);
  } catch (error) {
    // A credential without a right to events stays without them.
    if (error instanceof ApiError && error.status === 403) return;
    retry();
  }
}

function connect(ticket: string): void {
  const resume = lastId;
  const query = new URLSearchParams({ ticket, ...(resume === undefined ? {} : { resume }) });
  const socket = new WebSocket(`${socketAddress('/events')}?${query}`);
  socket.onopen = () => {
    failures = 0;
    clearTimeout(silence);
    silence = undefined;
    live.value = 'live';
    // Before the first event there is nothing to resume behind.
    if (wasOpen && resume === undefined)
      tell({ type: 'history_lost', at: new Date().toISOString(), payload: {} });
    wasOpen = true;
  };
  socket.onmessage = ({ data }) => {
    const event: LiveEvent = JSON.parse(String(data));
    lastId = event.id ?? lastId;
    tell(event);
  };
  socket.onclose = retry;
}

function retry(): void {
  silence ??= setTimeout(() => {
    live.value = 'lost';
  }, QUIET_MS);
  const ms = Math.min(LONGEST_RETRY_MS, FIRST_RETRY_MS * 2 ** failures);
  failures += 1;
  setTimeout(() => void openLiveLine(), ms * (0.75 + Math.random() / 2));
}

function tell(event: LiveEvent): void {
  for (const type of [event.type, '*']) for (const handler of handlers.get(type) ?? []) handler(event);
}
