import type { Readable } from 'node:stream';
import { Refusal, Unavailable } from '@svc/auth-core';
import { LARGEST_PICTURE, pictureType } from '@svc/contract';
import type { LabNode, NodeClient } from '@svc/nodes';
import {
  type DeviceLogPage,
  NO_RECORDING,
  type Picture,
  type RecordingSource,
  type RecordingView,
} from './recording-source.ts';

/**
 * Maximum size (bytes) of a JSON response of a node. Responses are read into memory, so that without this limit a node
 * could fill the memory.
 */
const LARGEST_JSON = 16 * 1024 * 1024;

interface OnNode {
  readonly node: LabNode;
  readonly sessionId: string;
  readonly ownerId: string | null;
}

/** Recording of a session that ran on a node. This server requests it from the node with a hub token (contract 11). */
export class NodeRecording implements RecordingSource {
  readonly #client: Pick<NodeClient, 'askAboutSession'>;
  readonly #at: OnNode;

  constructor(client: Pick<NodeClient, 'askAboutSession'>, at: OnNode) {
    this.#client = client;
    this.#at = at;
  }

  async view(): Promise<RecordingView> {
    const body = await this.#ask('/recording');
    return body === null
      ? NO_RECORDING
      : (JSON.parse((await whole(body, LARGEST_JSON)).toString()) as RecordingView);
  }

  async chunk(index: string): Promise<Readable | null> {
    return await this.#ask(`/recording/chunks/${encodeURIComponent(index)}`);
  }

  async picture(at: string): Promise<Picture | null> {
    const body = await this.#ask(`/recording/picture?at=${encodeURIComponent(at)}`);
    if (body === null) return null;
    const bytes = await whole(body, LARGEST_PICTURE);
    const type = pictureType(bytes);
    if (type === undefined) throw new Unavailable(`node ${this.#at.node.name} sent no picture`);
    return { type, bytes };
  }

  async rows(after: number, limit: number): Promise<DeviceLogPage> {
    const body = await this.#ask(`/device_log?after=${after}&limit=${limit}`);
    if (body === null) return { items: [], next: null };
    return JSON.parse((await whole(body, LARGEST_JSON)).toString()) as DeviceLogPage;
  }

  async remove(): Promise<void> {
    const body = await this.#ask('/recording', 'DELETE');
    body?.resume();
  }

  /**
   * Sends a request about the session to the node.
   * @returns the body of the response, or null if the node responds with 404
   */
  async #ask(path: string, method: 'GET' | 'DELETE' = 'GET'): Promise<Readable | null> {
    const { node, sessionId, ownerId } = this.#at;
    const asked = this.#client.askAboutSession(node, { sessionId, ownerId }, { method, path });
    const { statusCode, body } = await asked.catch((cause: unknown) => {
      throw new Unavailable(`node ${node.name} did not respond`, cause);
    });
    if (statusCode === 200 || statusCode === 204) return body;
    body.resume();
    if (statusCode === 404) return null;
    if (statusCode === 409) throw new Refusal('session_running', 'the session is recorded');
    throw new Unavailable(`node ${node.name} answered ${statusCode}`);
  }
}

async function whole(body: Readable, largest: number): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of body as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > largest) throw new Unavailable('the response of a node is too large');
    chunks.push(chunk);
  }
  return Buffer.concat(chunks, size);
}
