import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { openApp } from '../../support/app.ts';
import { type Ran, run, runFolder } from '../../support/programs.ts';

export interface WrittenDocument {
  readonly folder: string;
  readonly file: string;
}

/** Writes the document that a server of this version serves to a new folder. */
export async function writtenDocument(): Promise<WrittenDocument> {
  const running = await openApp();
  const { body } = await running.app.inject('/svc/openapi.json');
  await running.close();
  const folder = runFolder('openapi');
  const file = join(folder, 'openapi.json');
  writeFileSync(file, body);
  return { folder, file };
}

/** Runs a program of npm in an exact version; npm caches it. */
export function npx(folder: string, program: string, args: readonly string[]): Promise<Ran> {
  return run('npx', ['--yes', program, ...args], { cwd: folder, env: { NO_COLOR: '1', CI: 'true' } });
}
