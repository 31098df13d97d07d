import { socketAddress } from '../../api/addresses.ts';
import { ApiError } from '../../api/api-error.ts';
import { call } from '../../api/client.ts';
import { retryPause } from './retry-pause.ts';

export type LogState = 'connecting' | 'open' | 'lost' | 'none';

export interface LogLine {
  readonly number: number;
  readonly text: string;
}

/** What is kept of a log that may go on for days. */
const MOST_LINES = 1_000;
const MOST_TRIES = 5;
/** Lines that come at once are drawn at once. */
const DRAW_MS = 100;

/** Reads the log of a phone, each time with a ticket of its own (specification 5.8); the answer ends it. */
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
    listener.state(failures > MOST_TRIES ? 'none' : 'lost');
    if (failures <= MOST_TRIES) retry = setTimeout(() => void open(), retryPause(failures));
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
      // The latest lines come again with each connection.
      lines = [];
      listener.state('open');
    };
    socket.onmessage = ({ data }) => {
      count += 1;
      lines = [...lines.slice(1 - MOST_LINES), { number: count, text: String(data) }];
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
