import { processSources } from '@svc/api/host.js';
import { readConfig } from '@svc/settings';
import { examine } from '../doctor/doctor.ts';
import type { Finding } from '../doctor/finding.ts';
import type { Terminal } from '../terminal.ts';
import type { FolderOptions } from './data-folder.ts';

export interface DoctorOptions extends FolderOptions {
  readonly url?: string;
  readonly basePath: string;
  readonly log?: string;
  readonly json?: boolean;
}

const MARKS = { ok: 'ok     ', warning: 'WARNING', failure: 'FAILURE', skipped: 'skipped' } as const;

/**
 * Runs `svc doctor` and prints its findings.
 * @returns exit code 1 if a check fails; warnings and skipped checks do not count
 */
export async function doctor(options: DoctorOptions, terminal: Terminal): Promise<number> {
  const { dataDir, url, basePath, log: logFile, json } = options;
  const named = dataDir === undefined ? {} : { SVC_DATA_DIR: dataDir, SVC_DATABASE_URL: undefined };
  const reading = readConfig({ ...processSources(), env: { ...terminal.env, ...named } });
  const base = basePath.replace(/\/+$/, '');
  const findings = await examine({
    ...{ ...reading, basePath: base, logFile, now: Date.now() },
    url: url?.replace(/\/+$/, ''),
  });
  const failed = findings.filter(({ outcome }) => outcome === 'failure').length;
  if (json) {
    terminal.out(`${JSON.stringify({ ok: failed === 0, findings }, null, 2)}\n`);
  } else {
    for (const finding of findings) terminal.out(lineOf(finding));
    const warned = findings.filter(({ outcome }) => outcome === 'warning').length;
    terminal.out(`${failed} failed, ${warned} warnings, ${findings.length} checks\n`);
  }
  return failed === 0 ? 0 : 1;
}

function lineOf({ check, outcome, message, fix }: Finding): string {
  const line = `${MARKS[outcome]}  ${check}: ${message}\n`;
  return fix === null ? line : `${line}         -> ${fix}\n`;
}
