import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { freshDataDir, type RunningProcess, type RunningServer, runNode } from '../../support/lab.ts';
import type { Network } from '../../support/network.ts';
import { type Hub, startNode } from './hub.ts';

const TAP = fileURLToPath(new URL('./tap.mjs', import.meta.url));
const PORT = 4723;

/** A simulated machine with a node. A program between it and the hub records all traffic. */
export interface NodeHost {
  /** Host and port, which is the hub's name for the node. */
  readonly name: string;
  readonly url: string;
  readonly node: RunningServer;
  /** Makes the connection slow; the next call makes it fast again. */
  toggleSlow(): void;
  /** Kills the machine with everything that runs on it. */
  kill(): Promise<void>;
  stop(): Promise<void>;
  /** The bytes that the node received, per connection. */
  received(): Buffer[];
  /** The bytes that the node wrote to its output and its data folder. */
  written(): Buffer[];
}

export async function startNodeHost(
  network: Network,
  name: string,
  hub: Pick<Hub, 'url' | 'nodeKey'>,
): Promise<NodeHost> {
  network.add(name);
  const within = network.enter(name);
  const address = `${network.addressOf(name)}:${PORT}`;
  const folder = freshDataDir();
  const [inside, outside] = ['127.0.0.1:4800', '127.0.0.1:4801'];
  const tap = runNode(TAP, {
    within,
    args: [folder, `${address}=${inside}`, `${outside}=${new URL(hub.url).host}`],
  });
  await Promise.all([tap.line(/^listening on .*:4800$/), tap.line(/^listening on 127/)]);
  const node = await startNode(
    { ...hub, url: `http://${outside}` },
    {
      within,
      port: 4800,
      url: `http://${address}`,
      prefix: name,
      env: { SVC_LAB_DEVICES: '2', SVC_LAB_LOG_LEVEL: 'debug' },
    },
  );
  const end = async (signal: NodeJS.Signals, programs: readonly RunningProcess[]) => {
    await Promise.all(programs.map(({ stop }) => stop(signal)));
  };
  return {
    name: address,
    url: `http://${address}`,
    node,
    toggleSlow: () => void tap.child.kill('SIGUSR2'),
    kill: () => end('SIGKILL', [tap, node]),
    stop: async () => {
      await end('SIGTERM', [node]);
      await end('SIGKILL', [tap]);
    },
    received: () => filesIn(folder, /^(?:0\..*\.to|1\..*\.from)$/),
    written: () => [Buffer.from(node.output()), ...filesIn(node.dataDir, /./)],
  };
}

function filesIn(folder: string, pattern: RegExp): Buffer[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && pattern.test(entry.name))
    .map((entry) => readFileSync(join(entry.parentPath, entry.name)));
}
