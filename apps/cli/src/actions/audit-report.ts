import type { AuditCheck } from '@svc/auth-core';

/** @returns the lines that `svc audit verify` prints */
export function auditReport({ head, removed, unkeyed, problem }: AuditCheck): string[] {
  return [
    problem === null ? 'The audit trail holds.' : `The audit trail is broken: ${problem}.`,
    `Rows: ${head.count}${removed === 0 ? '' : ` (${removed} of them removed by retention)`}`,
    `Head: ${head.hash}`,
    ...(unkeyed === 0
      ? []
      : [
          `The first ${unkeyed} rows are from a version whose chain had no key; they are as the upgrade found them.`,
        ]),
    'This cannot show what was written with the key (audit-key in the data folder), nor an older copy of the whole',
    'database put back. Compare with a head kept elsewhere: `svc audit head` prints it.',
  ];
}
