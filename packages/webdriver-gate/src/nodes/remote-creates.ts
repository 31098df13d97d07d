import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import { isRecord, type Log } from '@svc/auth-core';
import { HEADERS, SENSITIVE_HEADERS } from '@svc/contract';
import {
  type Admission,
  type DeviceLab,
  type LabNode,
  type Nodes,
  NoMatchingDevice,
  type Reservation,
  type StartSession,
} from '@svc/device-lab';
import { asWebDriverError } from '../create-errors.ts';
import { isMarkedSensitive } from '../forward.ts';
import { notCreated, WebDriverError } from '../responses.ts';
import { type NodeAnswer, type NodeClient, NodeGone } from './node-client.ts';

export interface RemoteCreateOptions {
  readonly nodes: Nodes;
  readonly client: NodeClient;
  readonly lab: DeviceLab;
  /** Of this server. */
  readonly basePath: string;
  /** Whether the client reached this server by TLS. */
  readonly isHttps: (req: IncomingMessage) => boolean;
  readonly log: Log;
}

/** A session that was created on a node, and what its client is answered. */
export interface RemoteCreated {
  readonly id: string;
  readonly ownerId: string | null;
  readonly answer: string;
}

/** Ids that automation servers give; it becomes part of paths. */
const SESSION_ID = /^[\w-]{1,128}$/;

/** Nothing was sent to the node: another phone will do as well. */
export class NodeUnreachable extends WebDriverError {
  constructor({ name }: LabNode) {
    super(503, 'session not created', `node ${name} did not answer`);
  }
}

/** Creates that run on a node: the lab's own steps, with another start (contract 8.2). */
export class RemoteCreates {
  readonly #options: RemoteCreateOptions;

  constructor(options: RemoteCreateOptions) {
    this.#options = options;
  }

  /**
   * `before`: the node that was to run it could not be reached; its own phone is not there any more, then. Null: this
   * server has no nodes, and the automation server's hook reserves the device.
   */
  reserve(admission: Admission, capabilities: unknown, before?: NodeUnreachable): Reservation | null {
    const { nodes, lab } = this.#options;
    if (nodes.isEmpty || !isRecord(capabilities)) return null;
    try {
      return lab.reserve(admission, capabilities);
    } catch (error) {
      throw before !== undefined && error instanceof NoMatchingDevice ? before : asWebDriverError(error);
    }
  }

  /** Rejects with the `WebDriverError` to answer. `reservation`: of a device of a node. */
  async create(
    req: IncomingMessage,
    capabilities: unknown,
    admission: Admission,
    reservation: Reservation,
  ): Promise<RemoteCreated> {
    const { nodes, lab } = this.#options;
    const { udid, node: name } = reservation.device ?? {};
    const node = name == null ? undefined : nodes.byName(name);
    if (node === undefined || udid === undefined) {
      reservation.cancel();
      throw notCreated('the node of the phone is gone', 503);
    }
    let answer: NodeAnswer | undefined;
    const ownerId = admission.caller?.account.id ?? null;
    const start: StartSession = async ({ capabilities: clean }) => {
      const body = { capabilities: clean };
      const asked = { body, udid, ownerId, headers: headersOf(req) };
      answer = await this.#options.client.create(node, asked);
      const created = createdIn(answer);
      if (created === null) return null;
      // An id of another session would lead its commands to this node.
      if (lab.sessions.byId(created.id) !== undefined)
        throw new Error(`node ${name} gave an id that is in use`);
      return nodes.started(node, created.id, created.capabilities, ownerId);
    };
    try {
      const record = await lab.createSession(admission, capabilities, start, reservation);
      if (record === null) throw refusalOf(node, answer);
      return { id: record.id, ownerId, answer: this.#answerTo(req, record.id, answer as NodeAnswer) };
    } catch (error) {
      throw this.#errorOf(node, error);
    }
  }

  #errorOf(node: LabNode, error: unknown): unknown {
    if (error instanceof NodeGone && error.isUntouched) {
      this.#options.nodes.unreachable(node);
      return new NodeUnreachable(node);
    }
    const answer = asWebDriverError(error);
    if (answer instanceof WebDriverError) return answer;
    this.#options.log.warn(`A session could not be created on node ${node.name}`, { cause: causeOf(error) });
    return notCreated(`node ${node.name} did not answer`, 503);
  }

  /** The node's response, with its BiDi address at this server. */
  #answerTo(req: IncomingMessage, id: string, { body }: NodeAnswer): string {
    const { value } = body as { value: { capabilities: Record<string, unknown> } };
    const { capabilities } = value;
    if (typeof capabilities.webSocketUrl !== 'string') return JSON.stringify(body);
    const { isHttps, basePath } = this.#options;
    const scheme = isHttps(req) ? 'wss' : 'ws';
    const webSocketUrl = `${scheme}://${req.headers.host ?? ''}${basePath}/bidi/${id}`;
    return JSON.stringify({ value: { ...value, capabilities: { ...capabilities, webSocketUrl } } });
  }
}

function createdIn({
  status,
  body,
}: NodeAnswer): { id: string; capabilities: Record<string, unknown> } | null {
  const value = isRecord(body) ? body.value : undefined;
  if (status !== 200 || !isRecord(value)) return null;
  const { sessionId, capabilities } = value;
  if (typeof sessionId !== 'string' || !SESSION_ID.test(sessionId) || !isRecord(capabilities)) return null;
  return { id: sessionId, capabilities };
}

/** What the node answered in place of a session, if it is an error as WebDriver has them. */
function refusalOf({ name }: LabNode, answer: NodeAnswer | undefined): WebDriverError {
  const value = isRecord(answer?.body) ? answer.body.value : undefined;
  const status = answer?.status ?? 0;
  if (!isRecord(value) || typeof value.error !== 'string' || status < 400 || status > 599)
    return notCreated(`node ${name} answered with no session`);
  return new WebDriverError(status, value.error, String(value.message ?? ''));
}

/** A client's request id goes along, and its wish that the body be kept out of the log; nothing else. */
function headersOf(req: IncomingMessage): IncomingHttpHeaders {
  const requestId = req.headers[HEADERS.requestId];
  return {
    ...(typeof requestId === 'string' ? { [HEADERS.requestId]: requestId } : {}),
    ...(isMarkedSensitive(req) ? { [SENSITIVE_HEADERS[1]]: 'true' } : {}),
  };
}

function causeOf(error: unknown): string {
  const cause = error instanceof Error ? (error.cause ?? error) : error;
  return String(cause);
}
