import type { IncomingMessage } from 'node:http';
import { CREDENTIAL_NAMESPACES, isRecord } from '@svc/contract';
import {
  type Admission,
  ClientLeft,
  type DeviceLab,
  NO_PATIENCE,
  NO_RECORDING_OPTIONS,
  NoMatchingDevice,
  type Patience,
  type RecordingOptions,
  type Reservation,
  type SessionStart,
  type StartResult,
} from '@svc/device-lab';
import { type LabNode, type NodeClient, NodeGone, type Nodes } from '@svc/nodes';
import { causeOf, type RemoteAnswer } from '@svc/outbound';
import { asWebDriverError } from '../create-errors.ts';
import { socketAddress } from '../remote/address-here.ts';
import type { CreatePlaces, RemoteCreated } from '../remote/create-places.ts';
import { type CreatedSession, createdIn, createHeaders, refusalIn } from '../remote/created.ts';
import { notCreated, WebDriverError } from '../responses.ts';

export interface RemoteCreateOptions {
  readonly nodes: Nodes;
  readonly client: NodeClient;
  readonly lab: DeviceLab;
  /** Base path of this server. */
  readonly basePath: string;
  /** Returns whether the client reached this server over TLS. */
  readonly isHttps: (req: IncomingMessage) => boolean;
  /** Returns the recording options to send to a node with a create-session request, or null to send none. */
  readonly recording?: (options: RecordingOptions) => Readonly<Record<string, unknown>> | null;
  /**
   * Whether other plugins of the automation server may rewrite the capabilities before the hook of the svc plugin runs.
   * If so, a create for which the gate finds no phone is forwarded, and the hook looks for a phone again.
   */
  readonly mayBeRewritten: boolean;
}

/** Node and phone on which a session will run, the owner of the session, and the requested recording. */
interface OnNode {
  readonly node: LabNode;
  readonly udid: string;
  readonly ownerId: string | null;
  readonly recording: RecordingOptions;
  readonly keep: boolean | undefined;
}

const [NAMESPACE] = CREDENTIAL_NAMESPACES;

/**
 * Error for a node to which no connection could be made. Nothing was sent, so the create-session request can be tried
 * on another phone.
 */
class NodeUnreachable extends WebDriverError {
  constructor({ name }: LabNode) {
    super(503, 'session not created', `node ${name} did not answer`);
  }
}

/**
 * Runs create-session requests on nodes. The device lab handles these sessions like sessions on this server (contract
 * 8.2).
 */
export class RemoteCreates implements CreatePlaces {
  readonly #options: RemoteCreateOptions;

  constructor(options: RemoteCreateOptions) {
    this.#options = options;
  }

  async place(
    req: IncomingMessage,
    body: Readonly<Record<string, unknown>>,
    admission: Admission,
    patience: Patience = NO_PATIENCE,
    gone?: AbortSignal,
  ): Promise<RemoteCreated | Reservation | null> {
    const { lab, mayBeRewritten } = this.#options;
    const { capabilities } = body;
    try {
      lab.creates.checkBody(body, admission);
    } catch (error) {
      throw asWebDriverError(error);
    }
    // The automation server refuses capabilities that are no object.
    if (!isRecord(capabilities)) return null;
    let unreachable: NodeUnreachable | undefined;
    for (;;) {
      let reservation: Reservation;
      try {
        reservation = await lab.creates.reserveInTurn(admission, capabilities, patience);
      } catch (error) {
        const isUnmatched = error instanceof NoMatchingDevice;
        if (isUnmatched && unreachable !== undefined) throw unreachable;
        // Another plugin may rewrite the capabilities so that a phone fits. The hook of svc then reserves the phone.
        if (isUnmatched && mayBeRewritten) return null;
        throw asWebDriverError(error);
      }
      if (reservation.device === null || reservation.device.node === null) return reservation;
      if (patience.gone?.aborted) {
        reservation.cancel();
        throw new ClientLeft();
      }
      try {
        // Copy the capabilities, because `#create` adds the device to them, and a further attempt needs them without
        // it.
        return await this.#create(req, structuredClone(capabilities), admission, {
          reservation,
          gone,
        });
      } catch (error) {
        if (!(error instanceof NodeUnreachable)) throw error;
        // Try another phone. If none matches, throw this error.
        unreachable = error;
      }
    }
  }

  /**
   * Creates the session on the node of the reserved device. Rejects with the `WebDriverError` to send if that fails.
   */
  async #create(
    req: IncomingMessage,
    capabilities: unknown,
    admission: Admission,
    { reservation, gone }: { reservation: Reservation; gone: AbortSignal | undefined },
  ): Promise<RemoteCreated> {
    const { nodes, lab } = this.#options;
    const { udid, node: name } = reservation.device ?? {};
    const node = name == null ? undefined : nodes.byName(name);
    if (node === undefined || udid === undefined) {
      reservation.cancel();
      throw notCreated('the node of the phone is gone', 503);
    }
    const ownerId = admission.caller?.account.id ?? null;
    const { recording = NO_RECORDING_OPTIONS, keep } = admission;
    const start = (wanted: SessionStart) =>
      this.#start(req, { node, udid, ownerId, recording, keep }, wanted);
    try {
      const outcome = await lab.creates.createSession(admission, capabilities, start, {
        reserved: reservation,
        gone,
      });
      if ('refused' in outcome) throw refusalIn(`node ${node.name}`, outcome.refused);
      return { id: outcome.session.id, ownerId, answer: JSON.stringify(outcome.answer.body) };
    } catch (error) {
      throw this.#errorOf(node, error);
    }
  }

  /**
   * Sends the create-session request to the node. In the response, replaces the address of the BiDi WebSocket with one
   * of this server, and hides the download addresses of apps.
   */
  async #start(
    req: IncomingMessage,
    { node, udid, ownerId, recording, keep }: OnNode,
    { capabilities, apps }: SessionStart,
  ): Promise<StartResult<RemoteAnswer>> {
    const { client, nodes, lab } = this.#options;
    const lessee = lab.lesseeOf(udid);
    const options = this.#options.recording?.(recording) ?? null;
    const body = { capabilities: options === null ? capabilities : withOptions(capabilities, options) };
    const asked = { body, udid, lessee, keep, ownerId, headers: createHeaders(req) };
    const answer = await client.create(node, asked);
    // The client must not get the download addresses of apps, which are secret. The response may quote them.
    apps?.hide(answer.body);
    const created = createdIn(answer);
    if (created === null) return { refused: answer };
    this.#pointHere(req, created);
    // Refuse an id that another session has. Otherwise, this server would send the commands of that session to this
    // node.
    if (await this.#isKnown(created.id, node, ownerId))
      throw new Error(`node ${node.name} gave an id that is in use`);
    return { started: nodes.started(node, created.id, created.capabilities, ownerId), answer };
  }

  /**
   * Returns whether a session with this id is recorded. If the database cannot be read, ends the new session on the
   * node and throws, because the new session could not be recorded either (specification 5.4.5).
   */
  async #isKnown(id: string, node: LabNode, ownerId: string | null): Promise<boolean> {
    const { client, lab } = this.#options;
    try {
      return lab.sessions.byId(id) !== undefined;
    } catch (error) {
      // Ignore a failure, because the node will report the session, and the hub ends reported sessions that it does not
      // know.
      await client.endSession(node, id, ownerId).catch(() => undefined);
      throw error;
    }
  }

  #errorOf(node: LabNode, error: unknown): unknown {
    if (error instanceof NodeGone && error.isUntouched) {
      this.#options.nodes.unreachable(node);
      return new NodeUnreachable(node);
    }
    const answer = asWebDriverError(error);
    if (answer instanceof WebDriverError) return answer;
    this.#options.nodes.logs.warn(node, `A session could not be created on node ${node.name}`, {
      cause: causeOf(innermost(error)),
    });
    return notCreated(`node ${node.name} did not answer`, 503);
  }

  /** Replaces the address of the BiDi WebSocket in the node's response with an address of this server. */
  #pointHere(req: IncomingMessage, { id, capabilities }: CreatedSession): void {
    if (typeof capabilities.webSocketUrl !== 'string') return;
    const { isHttps, basePath } = this.#options;
    capabilities.webSocketUrl = `${socketAddress(req, isHttps)}${basePath}/bidi/${id}`;
  }
}

/**
 * Adds options for the node to the capabilities of a create-session request. The node handles them like options from a
 * client.
 */
function withOptions(capabilities: unknown, options: Readonly<Record<string, unknown>>): unknown {
  if (!isRecord(capabilities)) return capabilities;
  const always = isRecord(capabilities.alwaysMatch) ? capabilities.alwaysMatch : {};
  const firstMatch = Array.isArray(capabilities.firstMatch) ? capabilities.firstMatch : [];
  // If the client uses `svc:options` in `firstMatch`, add the options there, because WebDriver refuses a capability
  // that is in both `alwaysMatch` and `firstMatch`.
  const isInFirst = firstMatch.some((entry) => isRecord(entry) && Object.hasOwn(entry, NAMESPACE));
  const extended = (entry: Readonly<Record<string, unknown>>) => ({
    ...entry,
    [NAMESPACE]: { ...(isRecord(entry[NAMESPACE]) ? entry[NAMESPACE] : {}), ...options },
  });
  return isInFirst
    ? { ...capabilities, firstMatch: firstMatch.map((entry) => (isRecord(entry) ? extended(entry) : entry)) }
    : { ...capabilities, alwaysMatch: extended(always) };
}

function innermost(error: unknown): unknown {
  return error instanceof Error ? (error.cause ?? error) : error;
}
