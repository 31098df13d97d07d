import type { NewLabEvent } from '@svc/device-lab';
import type { LabNode } from './lab-node.ts';

/**
 * Returns the event that reports to Admins that a node is away.
 * @param devices number of the node's devices
 */
export function nodeOffline({ name, record, reportedAt }: LabNode, devices: number): NewLabEvent {
  return {
    type: 'node_offline',
    payload: {
      name,
      version: record.version,
      devices,
      lastReportAt: reportedAt === null ? null : new Date(reportedAt).toISOString(),
    },
    audience: { kind: 'admins' },
  };
}
