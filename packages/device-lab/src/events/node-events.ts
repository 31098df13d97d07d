import type { LabNode } from '../nodes/lab-node.ts';
import type { NewLabEvent } from './lab-events.ts';

/** @returns the event that a node went away with this number of phones, for Admins */
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
