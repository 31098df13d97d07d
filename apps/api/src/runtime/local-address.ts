import type { Server } from 'node:net';
import { Server as TlsServer } from 'node:tls';
import { isLoopback } from '@svc/contract';

/** Holds the HTTP server of this process, which `announce` sets once the server listens. */
export class ListeningServer {
  #server: Server | undefined;

  announce(server: Server): void {
    this.#server = server;
  }

  /** Address at which processes on this host reach the server, or null if it does not listen on a port. */
  get address(): string | null {
    return this.#server === undefined ? null : localAddress(this.#server);
  }

  /** Whether only processes on this host can reach the server. False if it does not listen. */
  get isLocal(): boolean {
    const address = this.#server?.address() ?? null;
    return address !== null && typeof address !== 'string' && isLoopback(address.address);
  }
}

/**
 * Returns the address at which processes on this host reach the server, or null if the server does not listen on a
 * port.
 */
export function localAddress(server: Server & { isSecure?(): boolean }): string | null {
  const address = server.address();
  if (address === null || typeof address === 'string') return null;
  const isSecure = server instanceof TlsServer || server.isSecure?.() === true;
  return `${isSecure ? 'https' : 'http'}://${hostOf(address.address)}:${address.port}`;
}

/**
 * Returns the host to connect to for a listening address. A server that listens on all addresses also listens on
 * loopback, so the loopback address is returned for it.
 */
function hostOf(address: string): string {
  if (address === '0.0.0.0') return '127.0.0.1';
  if (address === '::') return '[::1]';
  return address.includes(':') ? `[${address}]` : address;
}
