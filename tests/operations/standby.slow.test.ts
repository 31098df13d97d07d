import { cpSync, existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, describe, expect, it } from 'vitest';
import { type Credentials, World } from '../conformance/support/world.ts';
import { freshDataDir, type RunningProcess, runNode, runProgram, startApi } from '../support/lab.ts';
import { readPage } from '../support/pages.ts';
import { cleanUp } from '../support/programs.ts';
import { litestream } from './support/litestream.ts';

const CLI = createRequire(import.meta.url).resolve('@svc/cli/main.js');
/** The `sync-interval` of 1 s, and time for a machine on which other tests run. */
const MOST_LOST_MS = 3_000;
/** Long enough for some checkpoints of SQLite and some copies of Litestream. */
const LOAD_MS = 3_000;

afterAll(cleanUp);

interface Made {
  readonly id: string;
  readonly as: Credentials;
  /** Time of the response. */
  readonly at: number;
}

/** A server with Litestream next to it, as in docs/guides/standby.md. The replica is in a folder. */
class Primary {
  readonly world: World;
  readonly config: string;
  readonly #program: string;
  readonly #replica: string;
  #replication!: RunningProcess;
  #keys!: readonly Credentials[];
  readonly made: Made[] = [];

  private constructor(world: World, program: string) {
    this.world = world;
    this.#program = program;
    const folder = freshDataDir();
    this.#replica = join(folder, 'replica');
    this.config = join(folder, 'litestream.yml');
    const page = readPage('docs/guides/standby.md').block('litestream.yml');
    const text = page
      .replaceAll('/var/lib/svc', world.server.dataDir)
      .replace(/type: sftp\n(\s+)(?:.+\n\s+)*?(?=sync-interval)/, `type: file\n$1path: ${this.#replica}\n$1`);
    writeFileSync(this.config, text);
  }

  static async start(): Promise<Primary> {
    const program = await litestream();
    const primary = new Primary(await World.start(startApi), program);
    const { world } = primary;
    primary.#keys = await world.makers(10);
    primary.#replication = runProgram(program, { args: ['replicate', '-config', primary.config] });
    await primary.#until(() => existsSync(primary.#replica) && readdirSync(primary.#replica).length > 0);
    return primary;
  }

  /**
   * Creates tokens one after the other until the server has stopped or `isOver` returns true. Every request must
   * succeed.
   */
  async makeTokens(isOver: () => boolean): Promise<void> {
    while (!isOver()) {
      const key = this.#keys[this.made.length % this.#keys.length] as Credentials;
      const asked = this.world.api('POST', '/profile/tokens', { as: key, json: { name: 'x' } });
      const answer = await asked.catch((error) => {
        if (isOver()) return undefined;
        throw error;
      });
      if (answer === undefined) return;
      expect(answer.status).toBe(201);
      const as = { ...key, 'x-svc-token': answer.body.token };
      this.made.push({ id: answer.body.id, as, at: performance.now() });
    }
  }

  /** Stops the server and then Litestream. */
  async stop(signal: NodeJS.Signals): Promise<number> {
    const at = performance.now();
    const server = this.world.server.stop(signal);
    if (signal !== 'SIGKILL') await server;
    await Promise.all([server, this.#replication.stop(signal)]);
    return at;
  }

  /**
   * Restores the replica as the second machine would.
   * @returns the data folder of the second machine
   */
  async restore(): Promise<string> {
    const dataDir = freshDataDir();
    const args = ['restore', '-o', join(dataDir, 'svc.db'), `file://${this.#replica}`];
    const run = runProgram(this.#program, { args });
    expect((await run.exited).code, run.output()).toBe(0);
    for (const name of ['signing-key.pem', 'audit-key'])
      cpSync(join(this.world.server.dataDir, name), join(dataDir, name));
    mkdirSync(join(dataDir, 'apps'), { mode: 0o700 });
    return dataDir;
  }

  async #until(holds: () => boolean): Promise<void> {
    for (const end = performance.now() + 20_000; !holds(); await pause(50))
      if (performance.now() > end)
        throw new Error(`Litestream copies nothing:\n${this.#replication.output()}`);
  }
}

/**
 * Starts a server on the replica.
 * @returns how many of the tokens exist; they must be the first ones
 */
async function failOver(primary: Primary): Promise<{ world: World; kept: number }> {
  const dataDir = await primary.restore();
  const verified = runNode(CLI, { args: ['audit', 'verify', '--data-dir', dataDir] });
  expect((await verified.exited).code, verified.output()).toBe(0);
  const world = await World.start(startApi, {}, dataDir);
  // The cookie of a browser and a key stay valid.
  expect(await world.asks(primary.world.root.as)).toBe('200');
  const listed = await world.ok('GET', '/apikeys', { as: world.root.as });
  const ids = new Set(listed.map(({ id }: { id: string }) => id));
  const kept = primary.made.filter(({ id }) => ids.has(id)).length;
  expect(primary.made.slice(0, kept).every(({ id }) => ids.has(id))).toBe(true);
  for (const { as } of primary.made.slice(Math.max(0, kept - 2), kept))
    expect(await world.asks(as)).toBe('200');
  return { world, kept };
}

describe('docs/guides/standby.md, with Litestream', () => {
  it('killed at any moment: a standby that starts on the replica has lost the last seconds at most', async () => {
    const primary = await Primary.start();
    let isOver = false;
    const making = primary.makeTokens(() => isOver);
    await pause(LOAD_MS + 1_000 * Math.random());
    expect((await primary.world.api('GET', '/health/ready')).status).toBe(200);
    isOver = true;
    const killedAt = await primary.stop('SIGKILL');
    await making;
    const { world, kept } = await failOver(primary);
    const lost = primary.made[kept];
    const lostMs = lost === undefined ? 0 : killedAt - lost.at;
    expect(kept).toBeGreaterThan(0);
    expect(lostMs, `of ${primary.made.length} tokens, ${kept} are there`).toBeLessThan(MOST_LOST_MS);
    await world.server.stop();
  });

  it('stopped in order: nothing is lost', async () => {
    const primary = await Primary.start();
    const until = performance.now() + 1_000;
    await primary.makeTokens(() => performance.now() > until);
    await primary.stop('SIGTERM');
    const { world, kept } = await failOver(primary);
    expect(kept).toBe(primary.made.length);
    await world.server.stop();
    // The tables that Litestream leaves in the database do no harm.
    const again = await startApi({ dataDir: primary.world.server.dataDir });
    expect((await again.api('/health/ready')).status).toBe(200);
    await again.stop();
  });
});
