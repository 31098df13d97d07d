import { socketAddress } from '../../api/addresses.ts';
import { ApiError } from '../../api/api-error.ts';
import { call } from '../../api/client.ts';
import { retryPause } from '../../screen/retry-pause.ts';

export type LogState = 'connecting' | 'open' | 'lost' | 'none';

export interface LogLine {
  readonly number: number;
  readonly text: string;
}

/** Maximum number of lines to store, because a log can continue for days. */
const MAX_LINES = 1_000;
const MAX_TRIES = 5;
/** Milliseconds for which arriving lines are collected and then rendered together. */
const DRAW_MS = 100;

/**
 * Reads the log of a phone over a WebSocket and reconnects when the connection is lost. Each connection needs a new
 * ticket, which is a secret that opens one WebSocket (specification 5.8).
 * @returns a function that stops reading
 */
export function readDeviceLog(
  udid: string,
  listener: { state(state: LogState): void; lines(lines: readonly LogLine[]): void },
): () => void {
  let socket: WebSocket | undefined;
  let lines: LogLine[] = [];
  let count = 0;
  let failures = 0;
  let isOver = false;
  let retry: ReturnType<typeof setTimeout> | undefined;
  let drawing: ReturnType<typeof setTimeout> | undefined;

  const draw = () => {
    drawing ??= setTimeout(() => {
      drawing = undefined;
      listener.lines(lines);
    }, DRAW_MS);
  };
  const later = () => {
    if (isOver) return;
    failures += 1;
    listener.state(failures > MAX_TRIES ? 'none' : 'lost');
    if (failures <= MAX_TRIES) retry = setTimeout(() => void open(), retryPause(failures));
  };
  const open = async () => {
    const params = { udid };
    try {
      const { logs } = await call('deviceStreams', { params });
      if (isOver) return;
      if (!logs) return listener.state('none');
      const { ticket } = await call('issueStreamTicket', { params });
      if (isOver) return;
      const path = `/control/${encodeURIComponent(udid)}/logs?${new URLSearchParams({ ticket })}`;
      socket = new WebSocket(socketAddress(path));
    } catch (error) {
      if (isOver) return;
      if (error instanceof ApiError && error.status === 404) listener.state('none');
      else later();
      return;
    }
    socket.onopen = () => {
      failures = 0;
      // Each new connection sends the latest lines again, so the old lines are dropped.
      lines = [];
      listener.state('open');
    };
    socket.onmessage = ({ data }) => {
      count += 1;
      lines = [...lines.slice(1 - MAX_LINES), { number: count, text: String(data) }];
      draw();
    };
    socket.onclose = later;
  };
  listener.state('connecting');
  void open();
  return () => {
    isOver = true;
    clearTimeout(retry);
    clearTimeout(drawing);
    socket?.close();
  };
}
