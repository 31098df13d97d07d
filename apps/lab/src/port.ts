import { createServer } from 'node:net';

/** Thrown if the lab cannot listen on the address. The message is shown to the user. */
export class UnusableAddress extends Error {}

/**
 * Checks that the lab can listen on the port, before Appium is started.
 * @returns the port to use. A port of 0 is replaced by a free port, because Appium writes the configured port into its
 * WebSocket addresses, even if it is 0.
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
