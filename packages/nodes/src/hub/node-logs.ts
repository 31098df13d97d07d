import { type Caller, type Clock, type Log, Refusal } from '@svc/auth-core';
import { oneLine } from '@svc/module';
import type { LabNode, NodeLogLine } from './lab-node.ts';
import { nameOf } from './node-report.ts';

/** Maximum number of lines that are kept for each node. Older lines are only in the log of the hub. */
const MOST_LINES = 100;
const MOST_CHARACTERS = 500;

interface NodeLogsOptions {
  readonly clock: Clock;
  readonly log: Log;
}

/**
 * Logs what happens to nodes. Also keeps the last lines about each node in memory, so that Admins can read them without
 * access to the log of the hub. When a node is removed, its lines are removed, too.
 */
export class NodeLogs {
  readonly #options: NodeLogsOptions;
  readonly #byName: (name: string) => LabNode | undefined;

  constructor(options: NodeLogsOptions, byName: (name: string) => LabNode | undefined) {
    this.#options = options;
    this.#byName = byName;
  }

  /** Returns the last lines about a node, newest first. Throws `not_found` if the node is unknown. */
  list(_caller: Caller, name: string): NodeLogLine[] {
    const node = this.#byName(name);
    if (node === undefined) throw new Refusal('not_found', 'unknown node');
    return node.logLines.toReversed();
  }

  info(node: LabNode, message: string, fields?: object): void {
    this.#options.log.info(message, fields);
    this.#keep(node, 'info', message);
  }

  warn(node: LabNode, message: string, fields?: object): void {
    this.#options.log.warn(message, fields);
    this.#keep(node, 'warn', message);
  }

  error(node: LabNode, message: string, fields?: object): void {
    this.#options.log.error(message, fields);
    this.#keep(node, 'error', message);
  }

  /**
   * Logs that the node is present, and allows the next refusal of its reports to be logged even if the reason is the
   * same as before.
   */
  present(node: LabNode, devices: number): void {
    node.lastRefusal = null;
    this.info(node, `Node ${node.name} is present`, { devices });
  }

  /**
   * Logs why a report of a known node was refused. The same reason is logged only once, because a node reports every
   * 10 s.
   */
  refused(url: string, reason: string): void {
    const node = this.#byName(nameOf(url));
    if (node === undefined || node.lastRefusal === reason) return;
    node.lastRefusal = reason;
    this.warn(node, `A report of node ${node.name} was refused: ${reason}`);
  }

  /**
   * Logs a warning if the node runs another version of svc than this hub, because they must be upgraded together
   * (specification 9.2, release 2.17). Logged once for each version of the node.
   */
  compareVersions(node: LabNode, version: string, own: string): void {
    if (version !== own && version !== node.comparedVersion)
      this.warn(
        node,
        `Node ${node.name} runs svc ${version}, this hub ${own}: upgrade hub and nodes together`,
      );
    node.comparedVersion = version;
  }

  #keep({ logLines }: LabNode, level: NodeLogLine['level'], message: string): void {
    const text = [...oneLine(message)].slice(0, MOST_CHARACTERS).join('');
    logLines.push({ at: this.#options.clock.now(), level, message: text });
    if (logLines.length > MOST_LINES) logLines.shift();
  }
}
