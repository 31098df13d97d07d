import { writeFileSync } from 'node:fs';
import { Agent } from 'node:http';
import { join } from 'node:path';
import { type KeyPair, keyPairHeaders } from '@svc/client';
import { createSession } from './appium-server.ts';
import { freePort } from './free-port.ts';
import { type Call, callerOf } from './http-call.ts';
import { adminPair, startLab } from './hub/lab-process.ts';
import type { Report } from './report/report.ts';
import { type Coverage, coverageOf, type Ran } from './walks/coverage.ts';

const WARM_UP = 5;
const ROUNDS = 5;

/** A request whose way through the code is measured. */
interface Walk {
  readonly name: string;
  readonly goal?: { readonly files: number; readonly functions: number };
  run(): Promise<void>;
  /** Undoes `run`, outside the measurement. */
  after?(): Promise<void>;
}

/**
 * Counts the files and functions of svc that a warm request runs through. A function counts only if it ran in each
 * round, so that timers do not count. With `BENCH_WALKS=<folder>`, writes the list of each walk.
 */
export async function walksBench(report: Report): Promise<void> {
  report.begin(
    'Walks',
    'files and functions of svc that run for one warm request, by the coverage that V8 measures, in a lab with virtual phones; functions that ran in each of 5 rounds',
  );
  const port = await freePort();
  const inspect = `--inspect=127.0.0.1:${port} --inspect-publish-uid=http`;
  const lab = await startLab({ NODE_OPTIONS: inspect, SVC_LOG_LEVEL: 'error' });
  const agent = new Agent({ keepAlive: true });
  const call = callerOf(lab.url, agent);
  let coverage: Coverage | undefined;
  try {
    coverage = await coverageOf(port);
    for (const walk of walksOf(call, await adminPair(lab.url))) {
      const ran = [...(await measured(coverage, walk))].map(([place, name]) => `${place} ${name}`).sort();
      const files = new Set(ran.map((line) => line.split(' ', 1)[0]));
      const { name, goal } = walk;
      report.add({
        what: `${name}, files`,
        values: [files.size],
        unit: 'files',
        ...(goal && { goal: { atMost: goal.files } }),
      });
      report.add({
        what: `${name}, functions`,
        values: [ran.length],
        unit: 'functions',
        ...(goal && { goal: { atMost: goal.functions } }),
      });
      const folder = process.env.BENCH_WALKS;
      if (folder) writeFileSync(join(folder, `${name}.txt`), `${ran.join('\n')}\n`);
    }
  } finally {
    coverage?.close();
    agent.destroy();
    await lab.stop();
  }
}

function* walksOf(call: Call, pair: KeyPair): Generator<Walk> {
  const headers = keyPairHeaders(pair);
  const sure = async (...[method, path, sent]: Parameters<Call>) => {
    const { status, text } = await call(method, path, { headers, ...sent });
    if (status !== 200 && status !== 201)
      throw new Error(`${method} ${path} got the status ${status}: ${text}`);
    return JSON.parse(text);
  };
  yield { name: 'GET auth-me', run: () => sure('GET', '/svc/api/auth/me') };
  yield { name: 'POST token', run: () => sure('POST', '/svc/api/auth/token', { json: {} }) };
  let id = '';
  const create = async () => {
    id = await createSession(call, pair);
  };
  const end = () => sure('DELETE', `/session/${id}`);
  yield { name: 'POST session', goal: { files: 60, functions: 200 }, run: create, after: end };
  let isOpen = false;
  const command = async () => {
    if (!isOpen) await create();
    isOpen = true;
    await sure('GET', `/session/${id}/timeouts`);
  };
  yield { name: 'GET timeouts of a session', run: command };
}

async function measured(coverage: Coverage, { run, after }: Walk): Promise<Ran> {
  let common: Ran | undefined;
  for (let round = 0; round < WARM_UP + ROUNDS; round++) {
    await coverage.reset();
    await run();
    const ran = await coverage.take();
    await after?.();
    if (round < WARM_UP) continue;
    common = common === undefined ? ran : new Map([...common].filter(([place]) => ran.has(place)));
  }
  return common ?? new Map();
}
