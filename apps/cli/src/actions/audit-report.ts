import type { AuditCheck } from '@svc/auth-core';

/** @returns the lines that `svc audit verify` prints */
export function auditReport({ head, removed, unkeyed, problem }: AuditCheck): string[] {
  return [
    problem === null ? 'The audit trail is intact.' : `The audit trail is broken: ${problem}.`,
    `Rows: ${head.count}${removed === 0 ? '' : ` (${removed} of them removed by retention)`}`,
    `Head: ${head.hash}`,
    ...(unkeyed === 0
      ? []
      : [
          `The first ${unkeyed} rows were written by a version whose chain had no key. They have not changed since the upgrade.`,
        ]),
    'This check cannot detect rows that were forged with the key (audit-key in the data folder), or an older copy of',
    'the whole database. Compare the head with one that you stored elsewhere. `svc audit head` prints it.',
  ];
}
