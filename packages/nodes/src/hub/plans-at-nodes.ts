import { isRecord } from '@svc/contract';
import type { CleaningPreview, DeviceLab } from '@svc/device-lab';
import type { NodeClient } from './node-client.ts';
import type { Nodes } from './nodes.ts';

interface Tools {
  readonly lab: Pick<DeviceLab, 'devices'>;
  readonly nodes: Pick<Nodes, 'byName'>;
  readonly client: Pick<NodeClient, 'cleaningPlan'>;
}

const MOST_ITEMS = 500;
const LONGEST_TEXT = 300;

/**
 * Asks the node of a phone what a cleaning would remove now (contract 17.3).
 * @returns null if the phone belongs to no node, or if its node does not clean it
 */
export async function planAtNode(
  udid: string,
  { lab, nodes, client }: Tools,
): Promise<CleaningPreview | null> {
  const name = lab.devices.byUdid(udid)?.node ?? null;
  const node = name === null ? undefined : nodes.byName(name);
  if (node === undefined) return null;
  const { status, body } = await client.cleaningPlan(node, udid);
  if (status === 404) return null;
  if (status !== 200) throw new Error(messageOf(body) ?? `node ${node.name} answered ${status}`);
  const plan = previewOf(body);
  if (plan === undefined) throw new Error(`node ${node.name} answered with something else than a plan`);
  return plan;
}

/** Reads the response of a node, which may be any. Cuts what is longer than a plan of this server. */
function previewOf(body: unknown): CleaningPreview | undefined {
  if (!isRecord(body) || !Array.isArray(body.items)) return undefined;
  const { since, kept } = body;
  const time = typeof since === 'string' ? Date.parse(since) : null;
  if (Number.isNaN(time)) return undefined;
  const items = body.items.slice(0, MOST_ITEMS).filter(isRecord);
  return {
    since: time,
    isKept: kept === true,
    items: items.map(({ name, why }) => ({ name: textOf(name), why: textOf(why) })),
  };
}

function textOf(value: unknown): string {
  return (typeof value === 'string' ? value : '').slice(0, LONGEST_TEXT);
}

function messageOf(body: unknown): string | undefined {
  return isRecord(body) && typeof body.message === 'string' ? body.message.slice(0, LONGEST_TEXT) : undefined;
}
