import type { CareAtNodes, DeviceLab, NewLabEvent, OutAtNode, ReadHealth, Uncleaned } from '@svc/device-lab';
import { phoneHealthy, phoneUnhealthy } from '@svc/device-lab';

/** What is left on a phone of a node. `holderId` is the account of the hub that left it, or null. */
export type UncleanedAtNode = Uncleaned;

/** What a node reports about the state of a phone. Absent fields are those of an older node. */
export interface ReportedCare {
  readonly udid: string;
  readonly outOfService?: OutAtNode | null | undefined;
  readonly health?: ReadHealth | null | undefined;
  readonly uncleaned?: UncleanedAtNode | null | undefined;
}

type CareByUdid = ReadonlyMap<string, ReportedCare>;

type CareLab = Pick<DeviceLab, 'devices' | 'events' | 'deviceChanged' | 'lesseeOf'>;

const NOTHING: CareByUdid = new Map();

/**
 * The phones that nodes have put out of service, and the health of the nodes' phones, as in each node's last report
 * (contract 17.1, 17.2). A node that is away has no phones that could be taken, so what it reported is forgotten.
 */
export class NodeCare implements CareAtNodes {
  readonly #lab: CareLab;
  readonly #byNode = new Map<string, CareByUdid>();

  constructor(lab: CareLab) {
    this.#lab = lab;
  }

  /** @returns why the node of a phone has put it out of service, or null */
  on(udid: string): OutAtNode | null {
    return this.#reported(udid)?.outOfService ?? null;
  }

  healthOf(udid: string): ReadHealth | null {
    return this.#reported(udid)?.health ?? null;
  }

  /**
   * Takes over the report of a node. Call this before the devices of the report become available, so that no request
   * gets a phone that is out of service.
   * @returns a function that publishes what has changed, to be called once the devices are known
   */
  take(node: string, phones: readonly ReportedCare[]): () => void {
    const before = this.#byNode.get(node);
    const now: CareByUdid = new Map(phones.map((phone) => [phone.udid, phone]));
    this.#byNode.set(node, now);
    const changed = this.#block(before ?? NOTHING, now);
    return () => {
      for (const udid of new Set([...(before ?? NOTHING).keys(), ...now.keys()])) this.#keep(udid);
      for (const udid of changed) this.#publish(udid, before, now);
    };
  }

  /** Forgets the reports of a node that is away or was removed. */
  forget(node: string): void {
    const before = this.#byNode.get(node) ?? NOTHING;
    this.#byNode.delete(node);
    this.#block(before, NOTHING);
    for (const udid of before.keys()) this.#keep(udid);
  }

  /** Called after a lease on a phone has ended: only its last holder can take the phone until its node has cleaned it. */
  leaseChanged(udid: string): void {
    if (this.#reported(udid) !== undefined) this.#keep(udid);
  }

  /** Keeps a phone for its last holder, as its node does. The node may not know yet that a lease has ended. */
  #keep(udid: string): void {
    const { devices } = this.#lab;
    const reported = this.#reported(udid)?.uncleaned ?? null;
    const isOver = reported?.state === 'leased' && this.#lab.lesseeOf(udid) !== reported.holderId;
    const now = isOver ? { ...reported, state: 'waiting' as const } : reported;
    const before = devices.uncleanedOf(udid);
    if (before?.state === now?.state && (before?.holderId ?? null) === (now?.holderId ?? null)) return;
    if (devices.byUdid(udid)?.node != null) devices.setUncleaned(udid, now);
  }

  /** @returns the phones whose service has changed */
  #block(before: CareByUdid, now: CareByUdid): string[] {
    const isOut = (phones: CareByUdid, udid: string) => phones.get(udid)?.outOfService != null;
    const changed = [...new Set([...before.keys(), ...now.keys()])].filter(
      (udid) => isOut(before, udid) !== isOut(now, udid),
    );
    for (const udid of changed) this.#lab.devices.blockAtNode(udid, isOut(now, udid));
    return changed;
  }

  /** A node's first report says nothing about what happened before, so it causes no `device_unhealthy`. */
  #publish(udid: string, before: CareByUdid | undefined, now: CareByUdid): void {
    const device = this.#lab.devices.byUdid(udid);
    if (device === undefined || !now.has(udid)) return;
    this.#lab.deviceChanged(device, device.teamId);
    const out = now.get(udid)?.outOfService ?? null;
    const wasOut = before?.get(udid)?.outOfService ?? null;
    let event: NewLabEvent | undefined;
    if (out?.isByLab === true && before !== undefined) event = phoneUnhealthy(device, out.reason);
    if (out === null && wasOut?.isByLab === true) event = phoneHealthy(device, 'its node has put it back');
    if (event !== undefined) this.#lab.events.publish(event);
  }

  #reported(udid: string): ReportedCare | undefined {
    const node = this.#lab.devices.byUdid(udid)?.node ?? null;
    return node === null ? undefined : this.#byNode.get(node)?.get(udid);
  }
}
