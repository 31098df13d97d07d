import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { parse } from 'yaml';

export const CHECKOUT = fileURLToPath(new URL('../../../', import.meta.url));

export interface Service {
  readonly image: string;
  readonly user: string;
  readonly read_only: boolean;
  readonly init: boolean;
  readonly tmpfs: readonly string[];
  readonly cap_drop: readonly string[];
  readonly security_opt: readonly string[];
  readonly secrets: readonly string[];
  readonly command?: readonly string[];
  readonly environment: Readonly<Record<string, string>>;
  readonly ports?: readonly string[];
  /** `name:path` or `name:path:ro`. */
  readonly volumes: readonly string[];
  readonly networks: readonly string[];
  readonly depends_on?: Readonly<Record<string, { readonly condition: string }>>;
  readonly healthcheck: { readonly test?: readonly string[]; readonly disable?: boolean };
}

interface Compose {
  readonly services: Readonly<Record<string, Service>>;
  readonly networks: Readonly<Record<string, { readonly internal?: boolean }>>;
  readonly volumes: Readonly<Record<string, unknown>>;
  readonly secrets: Readonly<Record<string, { readonly file: string }>>;
}

/** Reads `docker-compose.yml` with its aliases resolved. */
export function readCompose(): Compose {
  return parse(readFileSync(`${CHECKOUT}docker-compose.yml`, 'utf8'), { merge: true });
}

interface Instruction {
  readonly name: string;
  readonly text: string;
}

/** Reads the stages of the Dockerfile: its instructions in order, with joined lines and without comments. */
export function readStages(): Instruction[][] {
  const text = readFileSync(`${CHECKOUT}Dockerfile`, 'utf8');
  const lines = text
    .replace(/^#.*\n/gm, '')
    .replace(/\\\n\s*/g, '')
    .split('\n');
  const stages: Instruction[][] = [];
  for (const line of lines.filter((each) => each.trim() !== '')) {
    const [name = '', ...rest] = line.split(' ');
    if (name === 'FROM') stages.push([]);
    stages.at(-1)?.push({ name, text: rest.join(' ') });
  }
  return stages;
}

/** @returns the variables that `ENV` instructions of a stage set */
export function environmentOf(stage: readonly Instruction[]): Record<string, string> {
  const pairs = stage.filter(({ name }) => name === 'ENV').flatMap(({ text }) => text.split(' '));
  return Object.fromEntries(pairs.map((pair) => pair.split('=', 2) as [string, string]));
}
