import { createServer } from 'node:net';

/** An address the lab cannot listen on; the message is for a person. */
export class UnusableAddress extends Error {}

/**
 * The port to start on. 0 is resolved here: Appium puts the configured port, not the actual one, into its WebSocket
 * addresses. A port that is in use is detected before anything is opened or written.
 */
export function claimPort(port: number, host: string): Promise<number> {
  return new Promise((claimed, failed) => {
    const probe = createServer();
    probe.once('error', (error: NodeJS.ErrnoException) =>
      failed(new UnusableAddress(told(error, port, host))),
    );
    probe.listen(port, host, () => {
      const address = probe.address();
      const found = typeof address === 'object' && address !== null ? address.port : port;
      probe.close(() => claimed(found));
    });
  });
}

function told({ code }: NodeJS.ErrnoException, port: number, host: string): string {
  if (code === 'EADDRINUSE') {
    return `Port ${port} on ${host} is taken. Set PORT to another one, or PORT=0 for any that is free.`;
  }
  if (code === 'EACCES') return `This user may not open port ${port}. Set PORT to 1024 or more.`;
  return `HOST=${host} is not an address of this machine (${code}).`;
}
