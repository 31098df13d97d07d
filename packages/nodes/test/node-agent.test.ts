import { silentLog } from '@svc/auth-core/testing';
import { HubHolders } from '@svc/device-lab';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { NodeAgent } from '../src/node/node-agent.ts';
import { ReportedCleanings } from '../src/node/reported-cleanings.ts';

const VERSION = '2.18.0';

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

it('a hub of another version is named, once of each (specification 9.2 from 2.16 to 2.17)', async () => {
  const answers = [VERSION, '9.0.0', '9.0.0', undefined, VERSION, '9.0.1'];
  const log = silentLog();
  const options = {
    hub: {
      register: async () => ({ status: 200, body: { hubVersion: answers.shift() }, date: null }),
    },
    keys: { refresh: async () => undefined },
    version: VERSION,
    url: 'http://node.test',
    lab: {
      onEnd: () => undefined,
      onStart: () => undefined,
      devices: { onChange: () => undefined, onUncleaned: () => undefined, list: () => [] },
    },
    care: { onChange: () => undefined },
    sessions: { running: () => [], ended: () => [] },
    cleaned: new ReportedCleanings({ onClean: () => undefined }),
    holders: new HubHolders(),
    clock: { now: () => 0 },
    log,
    boot: 'b1',
  };
  const agent = new NodeAgent(options as never);
  agent.start('');
  await vi.advanceTimersByTimeAsync(55_000);
  agent.stop();
  expect(answers).toEqual([]);
  expect(log.messages('warn')).toEqual(
    ['9.0.0', '9.0.1'].map(
      (version) => `The hub runs svc ${version}, this node ${VERSION}: upgrade hub and nodes together`,
    ),
  );
});
