import { get } from 'node:http';
import { parentPort, workerData } from 'node:worker_threads';

/** Looks at every address; the first `stuck` of them take nothing. */
const { urls, stuck } = workerData as { urls: readonly string[]; stuck: number };
let bytes = 0;
let open = 0;

urls.forEach((url, at) => {
  get(url, { agent: false }, (response) => {
    if (response.statusCode !== 200) throw new Error(`a viewer got ${response.statusCode}`);
    open += 1;
    if (at < stuck) response.pause();
    else
      response.on('data', (chunk: Buffer) => {
        bytes += chunk.length;
      });
    if (open === urls.length) parentPort?.postMessage('open');
  });
});
parentPort?.once('message', () => parentPort?.postMessage(bytes));
