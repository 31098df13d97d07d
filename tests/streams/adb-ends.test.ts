import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type Pair, type Person, World } from '../conformance/support/world.ts';
import { frame, okay, type ScriptedAdb, scriptedAdb } from '../devices/support/scripted-adb.ts';
import { freshDataDir, startApi } from '../support/lab.ts';
import { until } from '../support/records.ts';
import { localAdb, startAdbCommand } from './local-adb.ts';
import { expectEnded, tidyUse, USE_ENDS, type UseEnd } from './use-ends.ts';

const PHONE = 'adb-1';
const DEVICES = `${PHONE} device product:p model:Pixel_8 device:d transport_id:1\n`;

function serve(service: string, socket: Socket): void {
  if (service === 'host:track-devices-l') socket.write(okay(frame(DEVICES)));
  else if (service.startsWith('host:transport:')) socket.write(okay());
  else if (service.endsWith(':features')) socket.end(okay(frame('shell_v2,cmd')));
  else if (service.startsWith('shell:getprop')) socket.end(okay('14\n'));
  else if (service === 'shell:id') socket.end(okay('uid=2000(shell)\n'));
  else socket.end(`FAIL${frame('closed')}`);
}

/** A network between a developer and the lab, which can break. */
async function breakableNetwork(url: () => string) {
  const open = new Set<Socket>();
  let isBroken = false;
  const server = createServer((socket) => {
    if (isBroken) return void socket.destroy();
    const lab = connect(Number(new URL(url()).port), '127.0.0.1');
    for (const [side, other] of [
      [socket, lab],
      [lab, socket],
    ] as const) {
      open.add(side);
      side.on('error', () => undefined).once('close', () => other.destroy());
      side.pipe(other);
    }
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as { port: number }).port}`,
    break: () => {
      isBroken = true;
      for (const socket of open) socket.destroy();
      open.clear();
    },
    mend: () => {
      isBroken = false;
    },
    close: () => server.close(),
  };
}

describe('svc adb', () => {
  let adb: ScriptedAdb;
  let world: World;
  let holder: Person;
  let pair: Pair;
  let leaseId = '';
  const dataDir = freshDataDir();
  const env = () => ({ SVC_ADB: `127.0.0.1:${adb.port}` });

  beforeAll(async () => {
    adb = await scriptedAdb(serve);
    world = await World.start(startApi, env(), dataDir);
  });
  afterAll(async () => {
    await world.server.stop();
    await adb.close();
  });
  beforeEach(async () => {
    holder = await world.person('Admin');
    pair = await world.pair(holder.as);
    const json = { udid: PHONE, minutes: 30 };
    const leased = await until(
      () => world.api('POST', '/leases', { as: pair.as, json }),
      ({ status }) => status === 201,
    );
    leaseId = leased.body.leaseId;
  });

  afterEach(async () => {
    adb.list(DEVICES);
    await tidyUse(use());
  });

  const as = () => ({ as: world.root.as });
  const use = () => ({ world, udid: PHONE, holder, pair, leaseId });

  const ENDS: Readonly<Record<string, UseEnd>> = {
    ...USE_ENDS,
    phone: { act: async () => adb.list(''), reason: /the phone is away/ },
  };
  it.each(Object.keys(ENDS))(
    'svc adb ends within a second of the end of the %s, with a sentence that says why (contract 16.3)',
    async (what) => {
      const command = await startAdbCommand(world.url, pair, PHONE);
      await expectEnded(command, ENDS[what] as UseEnd, use());
    },
  );

  it('svc adb connects again after a short break of the network, on the same local port (contract 16.1)', async () => {
    const network = await breakableNetwork(() => world.url);
    const command = await startAdbCommand(network.url, pair, PHONE);
    const local = await localAdb(command.address);
    expect(await local.run('shell:id')).toBe('uid=2000(shell)\n');
    network.break();
    expect(await local.run('shell:id')).toBeNull();
    network.mend();
    expect(await local.run('shell:id')).toBe('uid=2000(shell)\n');
    expect(command.code()).toBeUndefined();
    await world.ok('DELETE', `/leases/${leaseId}`, as());
    await command.exited;
    network.close();
    local.socket.destroy();
  });

  it('svc adb connects again to a lab that has restarted, while the lease goes on (contract 16.1)', async () => {
    const network = await breakableNetwork(() => world.url);
    const command = await startAdbCommand(network.url, pair, PHONE);
    const local = await localAdb(command.address);
    network.break();
    await world.server.stop();
    world = world.movedTo(await startApi({ env: env(), dataDir }));
    network.mend();
    await until(
      () => local.run('shell:id'),
      (output) => output === 'uid=2000(shell)\n',
    );
    expect(command.code()).toBeUndefined();
    await world.ok('DELETE', `/leases/${leaseId}`, as());
    await command.exited;
    network.close();
    local.socket.destroy();
  });
});
