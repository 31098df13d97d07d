import { API_PREFIX } from '@svc/contract';
import { type JsonAnswer, JsonClient, type Outbound } from '@svc/outbound';
import { pairHeaders } from './pair-headers.ts';

const LARGEST_ANSWER = 256 * 1024;

interface HubClientOptions {
  readonly hubUrl: string;
  readonly accessKey: string;
  readonly token: string;
  /** Certificate authorities that the node trusts (PEM), or null to trust those of the system. */
  readonly ca: string | null;
  readonly outbound: Outbound;
}

/** Sends a node's requests to its hub. */
export class HubClient {
  readonly #options: HubClientOptions;
  readonly #client: JsonClient;

  constructor(options: HubClientOptions) {
    this.#options = options;
    const { hubUrl, ca, outbound } = options;
    this.#client = new JsonClient({ url: `${hubUrl}${API_PREFIX}`, ca, outbound, largest: LARGEST_ANSWER });
  }

  register(report: object): Promise<JsonAnswer> {
    return this.#client.ask('/nodes', { method: 'POST', headers: pairHeaders(this.#options), json: report });
  }

  /** Requests the account to which this node's key pair belongs. */
  me(): Promise<JsonAnswer> {
    return this.#client.ask('/auth/me', { method: 'GET', headers: pairHeaders(this.#options) });
  }

  nodes(): Promise<JsonAnswer> {
    return this.#client.ask('/nodes', { method: 'GET', headers: pairHeaders(this.#options) });
  }

  /** Requests the hub's public keys. Rejects unless the hub responds with status 200. */
  async keys(): Promise<unknown> {
    const { status, body } = await this.#client.ask('/auth/jwks.json', { method: 'GET' });
    if (status !== 200) throw new Error(`the hub answered ${status}`);
    return body;
  }

  close(): Promise<void> {
    return this.#client.close();
  }
}
