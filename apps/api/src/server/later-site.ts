import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import { refuseUpgrade, type Upstream } from '@svc/webdriver-gate';
import type { App } from '../http/http-context.ts';
import type { Services } from '../services/services.ts';
import { siteOf } from './site.ts';

interface LaterSiteOptions {
  /** The automation server's. */
  readonly basePath: string;
  /** They cannot be built; without them this server must not go on. */
  readonly failed: (error: unknown) => void;
}

/**
 * The pages and the API behind a gate, built by the first request to them or by `build`: an automation server that starts
 * does not wait for them, since nothing of its own needs them. That request waits; nobody is answered, or let in, by
 * anything but what was built (docs/decisions/0025).
 */
export class LaterSite implements Upstream {
  readonly #services: Services;
  readonly #options: LaterSiteOptions;
  #building: Promise<App> | undefined;
  #site: Upstream | undefined;
  #isClosed = false;

  constructor(services: Services, options: LaterSiteOptions) {
    this.#services = services;
    this.#options = options;
  }

  /** Resolves when they answer. */
  async build(): Promise<void> {
    await this.#built();
  }

  request(req: IncomingMessage, res: ServerResponse): void {
    if (this.#site !== undefined) {
      this.#site.request(req, res);
      return;
    }
    this.#built().then(
      (site) => {
        if (!res.destroyed) site.request(req, res);
      },
      () => res.writeHead(503, { connection: 'close' }).end(),
    );
  }

  /** The ticket that opens one was given by the API, so it is there, unless this is the moment after a restart. */
  upgrade(req: IncomingMessage, socket: Duplex, head: Buffer): void {
    if (this.#site !== undefined) {
      this.#site.upgrade(req, socket, head);
      return;
    }
    this.#built().catch(() => undefined);
    refuseUpgrade(socket, 503);
  }

  /** Before the services are closed. */
  async close(): Promise<void> {
    this.#isClosed = true;
    await (await this.#building)?.close();
  }

  async #built(): Promise<Upstream> {
    this.#building ??= this.#open();
    this.#site ??= siteOf(await this.#building);
    return this.#site;
  }

  async #open(): Promise<App> {
    if (this.#isClosed) throw new Error('this server has stopped');
    try {
      const { buildApp } = await import('./app.ts');
      return await buildApp(this.#services, { basePath: this.#options.basePath });
    } catch (error) {
      this.#options.failed(error);
      throw error;
    }
  }
}
