import { parentPort } from 'node:worker_threads';
import { drawScreen } from './screen.ts';
import type { DrawnScreen, DrawRequest } from './screen-drawer.ts';

// The thread of `ScreenDrawer`: it draws one screen for each message.
parentPort?.on('message', ({ id, content }: DrawRequest) => {
  const drawn: DrawnScreen = { id, jpeg: drawScreen(content) };
  parentPort?.postMessage(drawn);
});
