import { createServer } from 'node:net';

/** The lab cannot listen on the address. The message is shown to the user. */
export class UnusableAddress extends Error {}

/**
 * @returns the port to start on. A port of 0 is replaced by a free one, because Appium puts the configured port, not
 * the actual one, into its WebSocket addresses. A used port is detected before anything is opened or written.
 */
export function claimPort(port: number, host: string): Promise<number> {
  return new Promise((claimed, failed) => {
    const probe = createServer();
    probe.once('error', (error: NodeJS.ErrnoException) =>
      failed(new UnusableAddress(messageOf(error, port, host))),
    );
    probe.listen(port, host, () => {
      const address = probe.address();
      const found = typeof address === 'object' && address !== null ? address.port : port;
      probe.close(() => claimed(found));
    });
  });
}

function messageOf({ code }: NodeJS.ErrnoException, port: number, host: string): string {
  if (code === 'EADDRINUSE') {
    return `Port ${port} on ${host} is taken. Set PORT to another one, or PORT=0 for any free one.`;
  }
  if (code === 'EACCES') return `This user may not open port ${port}. Set PORT to 1024 or more.`;
  return `HOST=${host} is not an address of this machine (${code}).`;
}
