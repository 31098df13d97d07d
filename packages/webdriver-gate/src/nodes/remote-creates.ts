import type { IncomingMessage } from 'node:http';
import { isRecord, type Log } from '@svc/auth-core';
import {
  type Admission,
  type DeviceLab,
  type LabNode,
  type Nodes,
  NoMatchingDevice,
  type Reservation,
  type SessionStart,
  type StartResult,
} from '@svc/device-lab';
import { causeOf, type RemoteAnswer } from '@svc/outbound';
import { asWebDriverError } from '../create-errors.ts';
import { socketAddress } from '../remote/address-here.ts';
import type { CreatePlaces, RemoteCreated } from '../remote/create-places.ts';
import { type CreatedSession, createdIn, createHeaders, refusalIn } from '../remote/created.ts';
import { notCreated, WebDriverError } from '../responses.ts';
import { type NodeClient, NodeGone } from './node-client.ts';

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

/** Where a session is to run, and for which account. */
interface OnNode {
  readonly node: LabNode;
  readonly udid: string;
  readonly ownerId: string | null;
}

/** Nothing was sent to the node: another phone will do as well. */
class NodeUnreachable extends WebDriverError {
  constructor({ name }: LabNode) {
    super(503, 'session not created', `node ${name} did not answer`);
  }
}

/** Creates that run on a node: the lab's own steps, with another start (contract 8.2). */
export class RemoteCreates implements CreatePlaces {
  readonly #options: RemoteCreateOptions;

  constructor(options: RemoteCreateOptions) {
    this.#options = options;
  }

  async place(
    req: IncomingMessage,
    { capabilities }: Readonly<Record<string, unknown>>,
    admission: Admission,
  ): Promise<RemoteCreated | Reservation | null> {
    let before: NodeUnreachable | undefined;
    for (;;) {
      const reservation = this.#reserve(admission, capabilities, before);
      if (reservation?.device == null || reservation.device.node === null) return reservation;
      try {
        // A copy: the device is put into it.
        return await this.#create(req, structuredClone(capabilities), admission, reservation);
      } catch (error) {
        if (!(error instanceof NodeUnreachable)) throw error;
        before = error;
      }
    }
  }

  /**
   * `before`: the node that was to run it could not be reached; its own phone is not there any more, then. Null: this
   * server has no nodes, and the automation server's hook reserves the device.
   */
  #reserve(admission: Admission, capabilities: unknown, before?: NodeUnreachable): Reservation | null {
    const { nodes, lab } = this.#options;
    if (nodes.isEmpty || !isRecord(capabilities)) return null;
    try {
      return lab.reserve(admission, capabilities);
    } catch (error) {
      throw before !== undefined && error instanceof NoMatchingDevice ? before : asWebDriverError(error);
    }
  }

  /** Rejects with the `WebDriverError` to answer. `reservation`: of a device of a node. */
  async #create(
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
    const ownerId = admission.caller?.account.id ?? null;
    const start = (wanted: SessionStart) => this.#start(req, { node, udid, ownerId }, wanted);
    try {
      const outcome = await lab.createSession(admission, capabilities, start, reservation);
      if ('refused' in outcome) throw refusalIn(`node ${node.name}`, outcome.refused);
      return { id: outcome.session.id, ownerId, answer: JSON.stringify(outcome.answer.body) };
    } catch (error) {
      throw this.#errorOf(node, error);
    }
  }

  /** The node's answer, with the addresses in it that its client may have. */
  async #start(
    req: IncomingMessage,
    { node, udid, ownerId }: OnNode,
    { capabilities, apps }: SessionStart,
  ): Promise<StartResult<RemoteAnswer>> {
    const { client, lab, nodes } = this.#options;
    const asked = { body: { capabilities }, udid, ownerId, headers: createHeaders(req) };
    const answer = await client.create(node, asked);
    // It may quote the addresses of the apps, which the node alone may know.
    apps?.hide(answer.body);
    const created = createdIn(answer);
    if (created === null) return { refused: answer };
    this.#pointHere(req, created);
    // An id of another session would lead its commands to this node.
    if (lab.sessions.byId(created.id) !== undefined)
      throw new Error(`node ${node.name} gave an id that is in use`);
    return { started: nodes.started(node, created.id, created.capabilities, ownerId), answer };
  }

  #errorOf(node: LabNode, error: unknown): unknown {
    if (error instanceof NodeGone && error.isUntouched) {
      this.#options.nodes.unreachable(node);
      return new NodeUnreachable(node);
    }
    const answer = asWebDriverError(error);
    if (answer instanceof WebDriverError) return answer;
    this.#options.log.warn(`A session could not be created on node ${node.name}`, {
      cause: causeOf(innermost(error)),
    });
    return notCreated(`node ${node.name} did not answer`, 503);
  }

  /** Puts the BiDi address at this server into the node's answer, and so into the session's record. */
  #pointHere(req: IncomingMessage, { id, capabilities }: CreatedSession): void {
    if (typeof capabilities.webSocketUrl !== 'string') return;
    const { isHttps, basePath } = this.#options;
    capabilities.webSocketUrl = `${socketAddress(req, isHttps)}${basePath}/bidi/${id}`;
  }
}

function innermost(error: unknown): unknown {
  return error instanceof Error ? (error.cause ?? error) : error;
}
