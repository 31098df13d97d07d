import { randomUUID } from 'node:crypto';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type KeyPair, SvcClient } from '@svc/client';
import { argument, ready } from '../child.ts';

export interface StandInInput {
  readonly hub: string;
  readonly pair: KeyPair;
  readonly nodes: number;
  /** Number of phones of each node. */
  readonly phones: number;
}

/**
 * Nodes that need almost no processor time, so that only the hub is measured. Each registers, accepts every
 * create-session request, and sends the same response to every command.
 */

const RENEW_EVERY_MS = 10_000;

const { hub, pair, nodes, phones } = argument<StandInInput>();
const client = new SvcClient({ url: hub, credential: pair });

class StandIn {
  readonly #server: Server;
  readonly #running = new Map<string, string>();
  readonly #devices: readonly { udid: string; platform: string }[];
  #sequence = 0;

  constructor(name: string) {
    this.#devices = Array.from({ length: phones }, (_, at) => ({ udid: `${name}-${at}`, platform: 'Fake' }));
    this.#server = createServer((req, res) => {
      const chunks: Buffer[] = [];
      req.on('data', (chunk: Buffer) => chunks.push(chunk));
      req.on('end', () => {
        const text = Buffer.concat(chunks).toString('utf8');
        const answer = JSON.stringify({ value: this.#valueOf(req.method ?? '', req.url ?? '', text) });
        res.writeHead(200, {
          'content-type': 'application/json; charset=utf-8',
          'content-length': Buffer.byteLength(answer),
        });
        res.end(answer);
      });
    });
  }

  async start(): Promise<void> {
    await new Promise<void>((listening) => this.#server.listen(0, '127.0.0.1', listening));
    await this.#register();
    setInterval(() => void this.#register(), RENEW_EVERY_MS);
  }

  #valueOf(method: string, url: string, text: string): unknown {
    if (url === '/session' && method === 'POST') {
      const { alwaysMatch } = (JSON.parse(text) as { capabilities: { alwaysMatch: Record<string, string> } })
        .capabilities;
      const sessionId = randomUUID();
      this.#running.set(sessionId, alwaysMatch['appium:udid'] ?? '');
      return { sessionId, capabilities: { platformName: 'Fake' } };
    }
    if (method === 'DELETE') this.#running.delete(url.split('/')[2] ?? '');
    return null;
  }

  async #register(): Promise<void> {
    const running = [...this.#running].map(([id, udid]) => ({ id, udid }));
    const { port } = this.#server.address() as AddressInfo;
    await client.call('registerNode', {
      body: {
        url: `http://127.0.0.1:${port}`,
        version: 'bench',
        devices: [...this.#devices],
        sessions: { boot: 'bench', sequence: this.#sequence++, running, ended: [] },
      },
    });
  }
}

for (let at = 0; at < nodes; at++) await new StandIn(`stand-in-${at}`).start();
ready(hub, {}, async () => undefined);
