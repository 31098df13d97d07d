import { once } from 'node:events';
import { connect } from 'node:net';
import { runCommand } from '@svc/client/command';
import { IPhones } from '@svc/lab/phones';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type Pair, type Person, World } from '../conformance/support/world.ts';
import { packed } from '../devices/support/scripted-usbmuxd.ts';
import { freePort, startApi } from '../support/lab.ts';
import { until } from '../support/records.ts';
import { startPhoneCommand } from './local-adb.ts';
import { expectEnded, tidyUse, USE_ENDS, type UseEnd } from './use-ends.ts';

const PHONE = '00008101-000A1B2C3D4E001E';

describe('svc usb', () => {
  let phones: IPhones;
  let world: World;
  let holder: Person;
  let pair: Pair;
  let leaseId = '';

  beforeAll(async () => {
    phones = await IPhones.start({ phones: [{ udid: PHONE }] });
    world = await World.start(startApi, { SVC_IOS: 'true', ...phones.env });
  });
  afterAll(async () => {
    await world.server.stop();
    await phones.stop();
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
    phones.plug(PHONE);
    await tidyUse(use());
  });

  const as = () => ({ as: world.root.as });
  const use = () => ({ world, udid: PHONE, holder, pair, leaseId });
  const start = (...args: string[]) =>
    startPhoneCommand(world.url, pair, ['usb', PHONE, ...args], 'USBMUXD_SOCKET_ADDRESS');

  const ENDS: Readonly<Record<string, UseEnd>> = {
    ...USE_ENDS,
    phone: { act: async () => phones.unplug(PHONE), reason: /the phone is away/ },
  };
  it.each(Object.keys(ENDS))(
    'svc usb ends within a second of the end of the %s, with a sentence that says why (contract 16.3, 16.4)',
    async (what) => {
      const command = await start();
      await expectEnded(command, ENDS[what] as UseEnd, use());
    },
  );

  it('svc usb --port lists the phone at a port of the loopback address, and only there (contract 16.4)', async () => {
    const port = await freePort();
    const command = await start('--port', `${port}`);
    expect(command.shown()).toBe(`export USBMUXD_SOCKET_ADDRESS=127.0.0.1:${port}\n`);
    const socket = connect(port, '127.0.0.1');
    socket.write(packed('<dict><key>MessageType</key><string>ListDevices</string></dict>'));
    const [listed] = (await once(socket, 'data')) as [Buffer];
    expect(String(listed).match(/<key>SerialNumber<\/key><string>([^<]*)</)?.[1]).toBe(PHONE);
    const elsewhere = connect(port, '127.0.0.2');
    const [refusal] = await once(elsewhere, 'error');
    expect((refusal as { code: string }).code).toBe('ECONNREFUSED');
    await world.ok('DELETE', `/leases/${leaseId}`, as());
    await command.exited;
    await until(
      async () => socket.destroyed || socket.readableEnded,
      (isOver) => isOver,
    );
    await expect(once(connect(port, '127.0.0.1'), 'connect')).rejects.toThrow('ECONNREFUSED');
  });

  it.each([['65536'], ['-1'], ['1.5'], ['no number']])(
    'svc usb refuses --port %s with its usage (contract 16.4)',
    async (port) => {
      let shown = '';
      const err = (text: string) => {
        shown += text;
      };
      const io = { out: () => undefined, err };
      const env = { SVC_URL: world.url, SVC_ACCESS_KEY: pair.accessKey, SVC_TOKEN: pair.token };
      expect(await runCommand(['usb', PHONE, `--port=${port}`], env, io)).toBe(2);
      expect(shown).toContain('--port <port>');
    },
  );
});
