import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import { refuseUpgrade, type Upstream } from '@svc/webdriver-gate';
import type { App } from '../http/http-context.ts';
import type { Services } from '../services/services.ts';
import { loadApp } from './load-app.ts';
import { siteOf } from './site.ts';

interface LaterSiteOptions {
  /** Base path of the automation server. */
  readonly basePath: string;
  /**
   * Called if the pages and the API cannot be built. The server must then stop, because it must not run without them.
   */
  readonly failed: (error: unknown) => void;
}

/**
 * Serves the pages and the API on a server that also serves WebDriver requests. The first request to a page or the API,
 * or a call of `build`, builds them, so that the start of the server does not wait for them. Requests wait until the
 * build is complete (docs/decisions/0025).
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

  /** Builds the pages and the API unless they are already built. Resolves when they are ready. */
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

  /**
   * Refuses WebSocket upgrades until the API is built. An upgrade needs a ticket, which only the API issues. A valid
   * upgrade can therefore be refused here only if its ticket was issued before a restart.
   */
  upgrade(req: IncomingMessage, socket: Duplex, head: Buffer): void {
    if (this.#site !== undefined) {
      this.#site.upgrade(req, socket, head);
      return;
    }
    this.#built().catch(() => undefined);
    refuseUpgrade(socket, 503);
  }

  /** Closes the pages and the API. Call this before the services are closed. */
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
      const { buildApp } = await loadApp();
      await this.#services.modules.accounts.offers.firstAccount;
      return await buildApp(this.#services, { basePath: this.#options.basePath });
    } catch (error) {
      this.#options.failed(error);
      throw error;
    }
  }
}
