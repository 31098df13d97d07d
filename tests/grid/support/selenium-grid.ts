import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { freePort, freshDataDir, type RunningProcess, request, runProgram } from '../../support/lab.ts';
import { classPathOf } from '../../support/programs.ts';
import { startBareAppium } from '../../support/sessions.ts';

const LIBRARY = 'org.seleniumhq.selenium:selenium-grid:4.41.0';
const START_MS = 60_000;
/** Options that save memory and compilation time, because the grid is short-lived. */
const JVM = ['-Xmx256m', '-XX:TieredStopAtLevel=1', '-XX:+UseSerialGC'];

export interface SeleniumGrid {
  readonly url: string;
  /** Address of the Appium behind the node. */
  readonly appium: string;
  readonly hub: RunningProcess;
  readonly node: RunningProcess;
  stop(): Promise<void>;
}

/**
 * Starts the hub and a node of Selenium Grid in their own JVMs. The node forwards sessions to a real Appium with the
 * fake driver.
 */
export async function startSeleniumGrid(): Promise<SeleniumGrid> {
  const [classPath, appium] = await Promise.all([classPathOf(LIBRARY), startBareAppium()]);
  const ports = await Promise.all([freePort(), freePort(), freePort(), freePort()]);
  const [port, nodePort, publish, subscribe] = ports;
  const events = [
    '--publish-events',
    `tcp://127.0.0.1:${publish}`,
    '--subscribe-events',
    `tcp://127.0.0.1:${subscribe}`,
  ];
  const url = `http://127.0.0.1:${port}`;
  const run = (...args: string[]) =>
    runProgram('java', {
      args: [...JVM, '-cp', classPath, 'org.openqa.selenium.grid.Bootstrap', ...args, ...events],
    });
  const at = (own: number) => ['--host', '127.0.0.1', '--port', String(own)];
  const hub = run('hub', ...at(port));
  const config = join(freshDataDir(), 'node.toml');
  writeFileSync(config, nodeConfig(appium.url));
  const node = run('node', ...at(nodePort), '--config', config, '--grid-url', url);
  await ready(url, () => `${hub.output()}\n${node.output()}`);
  const stop = async () => {
    await Promise.all([node.stop('SIGKILL'), hub.stop('SIGKILL'), appium.stop('SIGKILL')]);
  };
  return { url, appium: appium.url, hub, node, stop };
}

function nodeConfig(appium: string): string {
  const wanted = { platformName: 'Fake', 'appium:automationName': 'Fake', 'appium:deviceName': 'Fake' };
  return `[node]
detect-drivers = false
[relay]
url = "${appium}"
status-endpoint = "/status"
configs = ["4", ${JSON.stringify(JSON.stringify(wanted))}]
`;
}

/** Polls, because a grid does not announce that it is ready. */
async function ready(url: string, output: () => string): Promise<void> {
  const end = performance.now() + START_MS;
  const isReady = async () => {
    const answer = await request(`${url}/status`).catch(() => null);
    if (answer === null) return false;
    return ((await answer.json()) as { value: { ready: boolean } }).value.ready;
  };
  while (!(await isReady())) {
    if (performance.now() > end) throw new Error(`the grid did not get ready:\n${output()}`);
    await new Promise((later) => setTimeout(later, 200));
  }
}
