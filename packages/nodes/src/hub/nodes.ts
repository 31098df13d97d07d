import { type Caller, type Clock, type Log, Refusal } from '@svc/auth-core';
import type { StreamKind } from '@svc/contract';
import type { DeviceLab, DirectInputs } from '@svc/device-lab';
import { type Device, InputFailed, NO_STREAMS, type StartedSession } from '@svc/device-lab';
import type { HubAddresses } from './hub-addresses.ts';
import { AWAY_MS, LabNode } from './lab-node.ts';
import type { NodeCalls } from './node-calls.ts';
import { NodeCare } from './node-care.ts';
import { nodeOffline } from './node-events.ts';
import { NodeLogs } from './node-logs.ts';
import { type NodeReport, nameOf, type OfferedDevice } from './node-report.ts';
import type { NodeStore } from './node-store.ts';
import { RemoteSessions } from './remote-sessions.ts';
import { isLate, ReportedSessions } from './reported-sessions.ts';

interface NodesOptions {
  /** Version of this server. */
  readonly version: string;
  readonly store: NodeStore;
  readonly lab: DeviceLab;
  readonly calls: NodeCalls;
  /** Name of the grid behind this server, such as a Selenium Grid, or null. With a grid, nodes cannot register. */
  readonly grid?: string | null;
  /** Addresses at which the nodes reach this hub, filled from their reports. */
  readonly hubAddresses?: HubAddresses;
  readonly clock: Clock;
  readonly log: Log;
}

/** A node with the numbers of its devices and sessions, as shown to Admins. */
export interface NodeView {
  readonly node: LabNode;
  readonly devices: number;
  readonly sessions: number;
}

const MOST_NODES = 256;
/** Minimum time (ms) between two writes of a node's record in which only `lastSeenAt` changes. */
const NOTE_EVERY_MS = 60_000;
const LOOK_EVERY_MS = 1_000;

/** Manages the nodes of this hub, their devices and their sessions (contract 8). */
export class Nodes {
  readonly sessions = new RemoteSessions();
  /** Lines of this hub's log about each node. */
  readonly logs: NodeLogs;
  /** What the nodes report about the state of their phones. */
  readonly care: NodeCare;
  readonly #options: NodesOptions;
  readonly #reportedSessions: ReportedSessions;
  readonly #nodes = new Map<string, LabNode>();
  #timer: NodeJS.Timeout | undefined;

  /** Loads the stored nodes, and resumes the sessions that ran on them when this server stopped (contract 8.4). */
  constructor(options: NodesOptions) {
    this.#options = options;
    this.care = new NodeCare(options.lab);
    this.logs = new NodeLogs(options, (name) => this.#nodes.get(name));
    this.#reportedSessions = new ReportedSessions(this.sessions, { ...options, logs: this.logs });
    const { store, lab, clock, grid = null } = options;
    for (const record of store.all()) this.#add(new LabNode(record, clock.now()));
    lab.onEnd(({ id }) => this.sessions.forget(id));
    for (const session of lab.sessions.running()) {
      if (session.node === null || session.node === grid) continue;
      const node = this.#nodes.get(session.node);
      if (node === undefined)
        lab.recordEnd(session.id, {
          category: 'Session Lost',
          reason: `node ${session.node} is no longer known`,
        });
      else lab.resumeSession(this.started(node, session.id, session.capabilities, session.ownerId));
    }
  }

  /** Starts a timer that checks for nodes that no longer report. */
  start(): void {
    this.#timer ??= setInterval(() => this.look(), LOOK_EVERY_MS).unref();
  }

  stop(): void {
    clearInterval(this.#timer);
    this.#timer = undefined;
  }

  counts(): { readonly here: number; readonly away: number } {
    const away = [...this.#nodes.values()].filter(({ isAway }) => isAway).length;
    return { here: this.#nodes.size - away, away };
  }

  get isEmpty(): boolean {
    return this.#nodes.size === 0;
  }

  byName(name: string): LabNode | undefined {
    return this.#nodes.get(name);
  }

  /** Returns all nodes, sorted by name. */
  list(_caller: Caller): NodeView[] {
    const nodes = [...this.#nodes.values()].sort((a, b) => (a.name < b.name ? -1 : 1));
    return nodes.map((node) => this.#viewOf(node));
  }

  /**
   * Registers a node or renews its registration. Throws `conflict` if the node cannot register. Also throws `conflict`
   * if a reported device belongs to another server; the rest of the report has then taken effect.
   */
  register(caller: Caller, report: NodeReport): NodeView {
    const { version, clock, grid = null } = this.#options;
    if (grid !== null) throw conflict('this server is the entrance of a grid and takes no nodes');
    const node = this.#nodes.get(nameOf(report.url)) ?? this.#new(caller, report);
    if (node.record.ownerId !== caller.account.id)
      throw conflict(`the node ${node.name} was registered by another account; an Admin can remove it`);
    if (node.record.keyPin !== null && !report.url.startsWith('https:'))
      throw conflict(`the node ${node.name} was registered with TLS; an Admin can remove it`);
    const now = clock.now();
    if (isLate(node, report.sessions)) return this.#viewOf(node);
    this.#note(node, report, now);
    this.logs.compareVersions(node, report.version, version);
    if (node.isAway) this.logs.present(node, report.devices.length);
    node.isAway = false;
    node.lastContactAt = now;
    this.#options.hubAddresses?.set(node.name, report.hubUrl);
    const refused = report.devices.filter(({ udid }) => this.#isTaken(udid, node.name));
    this.#offer(
      node,
      report.devices.filter((device) => !refused.includes(device)),
    );
    if (report.sessions !== null) this.#reportedSessions.compare(node, report.sessions, now);
    if (node.record.keyPin === null && report.url.startsWith('https:')) this.#options.calls.meet(node);
    if (refused.length > 0) {
      const udids = refused.map(({ udid }) => udid);
      const message = `another server has the phone ${udids.join(', ')}`.slice(0, 1_024);
      throw new Refusal('conflict', message, { message, udids, leases: this.leasesOn(node) });
    }
    return this.#viewOf(node);
  }

  /**
   * Returns whether a TLS key (as a hash) belongs to the node. The node's first key is stored, and the node can use no
   * other key until an Admin removes the node. Throws `Unavailable` if the key cannot be stored.
   */
  hasKey(node: LabNode, keyPin: string): boolean {
    const { store } = this.#options;
    if (node.record.keyPin === null && this.#nodes.get(node.name) === node) {
      const pinned = { ...node.record, keyPin };
      store.save(pinned);
      node.record = pinned;
      return true;
    }
    if (node.record.keyPin === keyPin) return true;
    if (!node.hasOtherKey)
      this.logs.error(
        node,
        `Node ${node.name} presents another TLS key than it registered with, so the hub sends it no requests. If its key was replaced on purpose, remove the node as an Admin: DELETE /svc/api/nodes/${node.name}`,
      );
    node.hasOtherKey = true;
    return false;
  }

  /** Removes a node. Throws `not_found` if the node is unknown, and `conflict` while sessions run on it. */
  remove(_caller: Caller, name: string): void {
    const { store, lab, calls, hubAddresses } = this.#options;
    const node = this.#nodes.get(name);
    if (node === undefined) throw new Refusal('not_found', 'unknown node');
    if (this.#viewOf(node).sessions > 0) throw conflict('sessions run on it');
    store.remove(name);
    this.care.forget(name);
    lab.devices.leave(node.source);
    this.#nodes.delete(name);
    hubAddresses?.set(name, null);
    calls.giveUp(node);
  }

  /** Adds a session. With the returned object, the lab ends the session and learns when it has ended. */
  started(
    node: LabNode,
    id: string,
    capabilities: Readonly<Record<string, unknown>>,
    ownerId: string | null,
  ): StartedSession {
    const { calls, clock } = this.#options;
    const ended = this.sessions.add(id, { node, capabilities, now: clock.now() });
    return {
      id,
      capabilities,
      node: node.name,
      ended,
      end: async () => {
        try {
          await calls.endSession(node, id, ownerId);
        } finally {
          this.sessions.forget(id);
        }
      },
      keepAlive: () => calls.keepAlive(node, id, ownerId),
      input: async (input) => {
        const udid = this.#options.lab.sessions.byId(id)?.device?.udid;
        if (udid === undefined) throw new InputFailed('the session has ended');
        await calls.input(node, { udid, sessionId: id }, input);
      },
    };
  }

  /** Returns the leases on a node's phones, so that the node does not clean a phone during a lease (contract 17.3). */
  leasesOn({ name }: LabNode): { udid: string; holder: string }[] {
    const { lab } = this.#options;
    return lab.devices.list().flatMap(({ udid, node }) => {
      const holder = node === name ? lab.lesseeOf(udid) : undefined;
      return holder === undefined ? [] : [{ udid, holder }];
    });
  }

  /** @returns the node to which the device is connected if the device offers this stream now, otherwise undefined */
  streaming({ udid, node: name }: Pick<Device, 'udid' | 'node'>, kind: StreamKind): LabNode | undefined {
    const node = name === null ? undefined : this.#nodes.get(name);
    return node?.streams.get(udid)?.has(kind) ? node : undefined;
  }

  /** Inputs into devices of nodes on which no session runs. The hub has checked the caller. */
  readonly directInputs: DirectInputs = {
    offers: ({ udid, node }) => node !== null && this.#nodes.get(node)?.directInput.has(udid) === true,
    put: async ({ udid, node: name }, input, check) => {
      const node = name === null ? undefined : this.#nodes.get(name);
      if (node === undefined) throw new InputFailed('the node is gone');
      check();
      await this.#options.calls.input(node, { udid, sessionId: null }, input);
    },
  };

  /** Marks a node as away until it renews its registration, because the hub could not connect to it. */
  unreachable(node: LabNode): void {
    if (node.isAway) return;
    this.logs.warn(
      node,
      `Node ${node.name} cannot be reached at ${node.url}: its phones are away until it renews`,
    );
    this.#leave(node);
  }

  /** Marks silent nodes as away. Ends sessions whose node has been silent for longer than their time-out. */
  look(): void {
    const { clock, calls } = this.#options;
    const now = clock.now();
    for (const node of this.#nodes.values()) {
      // If the clock was set back, the last contact is in the future. Then measure the silence from now.
      if (now < node.lastContactAt) node.lastContactAt = now;
      if (node.isAway || now - node.lastContactAt < AWAY_MS) continue;
      this.logs.warn(node, `Node ${node.name} has not reported for ${AWAY_MS / 1000} s: its phones are away`);
      this.#leave(node);
      calls.giveUp(node);
    }
    for (const [id, { node, timeoutMs, answeredAt }] of this.sessions.entries()) {
      const last = Math.max(node.lastContactAt, Math.min(answeredAt, now));
      if (now - last < Math.max(timeoutMs, AWAY_MS)) continue;
      this.sessions.end(id, { category: 'Session Lost', reason: `node ${node.name} is gone` });
    }
  }

  #leave(node: LabNode): void {
    const { lab } = this.#options;
    node.isAway = true;
    lab.events.publish(nodeOffline(node, this.#viewOf(node).devices));
    lab.devices.report(node.source, []);
    this.care.forget(node.name);
  }

  #new(caller: Caller, { url, version, basePath }: NodeReport): LabNode {
    const { clock } = this.#options;
    if (this.#nodes.size >= MOST_NODES) throw conflict(`the lab has ${MOST_NODES} nodes`);
    const now = clock.now();
    const record = { name: nameOf(url), url, basePath, version, ownerId: caller.account.id };
    return this.#add(new LabNode({ ...record, registeredAt: now, lastSeenAt: 0, keyPin: null }, now));
  }

  #add(node: LabNode): LabNode {
    this.#nodes.set(node.name, node);
    this.#options.lab.devices.expect(node.source);
    return node;
  }

  /** Stores a node's record for a restart of the hub: at most once a minute if only `lastSeenAt` changes. */
  #note(node: LabNode, { url, version, basePath }: NodeReport, now: number): void {
    const { record } = node;
    const isSame = record.url === url && record.version === version && record.basePath === basePath;
    if (isSame && Math.abs(now - record.lastSeenAt) < NOTE_EVERY_MS) return;
    const changed = { ...record, url, version, basePath, lastSeenAt: now };
    this.#options.store.save(changed);
    node.record = changed;
  }

  #offer(node: LabNode, devices: readonly OfferedDevice[]): void {
    node.streams = new Map(devices.map(({ udid, streams }) => [udid, new Set(streams)]));
    node.directInput = new Set(devices.filter((each) => each.directInput === true).map(({ udid }) => udid));
    const publish = this.care.take(node.name, devices);
    this.#options.lab.devices.report(
      node.source,
      devices.map(
        ({ streams: _, directInput: __, outOfService: ___, health: ____, uncleaned: _____, ...device }) => ({
          ...device,
          sourceTags: device.tags ?? [],
          node: node.name,
          ...NO_STREAMS,
        }),
      ),
    );
    publish();
  }

  /**
   * Returns whether the device belongs to a server other than the node `name` (contract 8.1). If that server is away
   * and has no session on the device, returns false, because the device may have been moved.
   */
  #isTaken(udid: string, name: string): boolean {
    const { devices, sessions } = this.#options.lab;
    const known = devices.byUdid(udid);
    if (known === undefined || known.node === name) return false;
    if (devices.statusOf(udid) !== 'away') return true;
    return sessions.running().some((session) => session.device?.udid === udid && session.node !== name);
  }

  #viewOf(node: LabNode): NodeView {
    const { devices, sessions } = this.#options.lab;
    return {
      node,
      devices: devices.list().filter((device) => device.node === node.name).length,
      sessions: sessions.running().filter((session) => session.node === node.name).length,
    };
  }
}

function conflict(message: string): Refusal {
  return new Refusal('conflict', message, { message });
}
