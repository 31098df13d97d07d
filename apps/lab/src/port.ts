import { createServer } from 'node:net';

/** Thrown if the lab cannot listen on the address. The message is shown to the user. */
export class UnusableAddress extends Error {}

/**
 * Checks that the port is free before anything is opened or written.
 * @returns the port to start on. A port of 0 is replaced by a free port, because Appium uses the configured port and
 * not the actual port in its WebSocket addresses.
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
