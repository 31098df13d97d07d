import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:net';
import fc from 'fast-check';
import { afterEach, describe, expect, it } from 'vitest';
import { portsOf } from '../src/decided/driver-places.ts';
import { DriverPorts, type HeldPorts, holdPort } from '../src/decided/driver-ports.ts';

const UIA2 = portsOf(['UiAutomator2']);
const RANGE = { first: 24_000, last: 24_999 };

const open: HeldPorts[] = [];
afterEach(() => {
  for (const held of open.splice(0)) held.release();
});
async function take(ports: DriverPorts, names: readonly string[] = UIA2): Promise<HeldPorts> {
  const held = await ports.take(names);
  open.push(held);
  return held;
}

/** A host on which a port is free unless a test has taken it. */
function host(busy = new Set<number>()) {
  const hold = async (port: number) => {
    if (busy.has(port)) return null;
    busy.add(port);
    return () => void busy.delete(port);
  };
  return { busy, hold };
}

it('each driver gets the ports that it reads (contract 14.5)', () => {
  expect(UIA2).toEqual(['systemPort', 'mjpegServerPort', 'chromedriverPort', 'webviewDevtoolsPort']);
  expect(portsOf(['Espresso'])).toEqual(['systemPort', 'chromedriverPort', 'webviewDevtoolsPort']);
  expect(portsOf(['XCUITest'])).toEqual(['mjpegServerPort', 'wdaLocalPort']);
  expect(portsOf([])).toEqual([]);
});

describe('ports for drivers on a model of the host', () => {
  it('ports for drivers on a model of the host are never given twice, and none is lost by any order of starts and ends (contract 14.5)', async () => {
    const steps = fc.array(fc.nat(9), { maxLength: 60 });
    const sizes = fc.integer({ min: 1, max: 60 });
    await fc.assert(
      fc.asyncProperty(
        steps,
        sizes,
        fc.uniqueArray(fc.nat(59), { maxLength: 20 }),
        async (all, size, used) => {
          const { busy, hold } = host(new Set(used.map((offset) => RANGE.first + offset)));
          const before = new Set(busy);
          const ports = new DriverPorts({ first: RANGE.first, last: RANGE.first + size - 1 }, hold);
          const running: HeldPorts[] = [];
          const requests = all.map(async (step) => {
            if (step < 4) running.splice(step, 1)[0]?.release();
            else running.push(await ports.take(UIA2));
          });
          await Promise.allSettled(requests);
          const given = running.flatMap((held) => Object.values(held.ports));
          expect(new Set(given).size).toBe(given.length);
          expect(given.every((port) => !before.has(port))).toBe(true);
          expect(given.every((port) => port >= RANGE.first && port < RANGE.first + size)).toBe(true);
          expect(ports.inUse).toBe(given.length);
          for (const held of running) held.release();
          for (const held of running) held.release();
          expect([ports.inUse, busy]).toEqual([0, before]);
        },
      ),
    );
  });

  it('ports for drivers on a model of the host are all given before a request fails, and a failed request keeps none (contract 14.5)', async () => {
    const { busy, hold } = host();
    const ports = new DriverPorts({ first: 1_024, last: 1_031 }, hold);
    const results = await Promise.allSettled(Array.from({ length: 3 }, () => ports.take(UIA2)));
    expect(results.map(({ status }) => status)).toEqual(['fulfilled', 'fulfilled', 'rejected']);
    expect((results[2] as PromiseRejectedResult).reason).toMatchObject({ kind: 'driver-port' });
    expect((results[2] as PromiseRejectedResult).reason.message).toBe('no driver port is free');
    const [first] = results as PromiseFulfilledResult<HeldPorts>[];
    first?.value.release();
    expect(busy.size).toBe(4);
    expect(Object.keys((await ports.take(UIA2)).ports)).toEqual(UIA2);
  });

  it('ports for drivers on a model of the host leave room behind the port from which a driver looks at web views (contract 14.5)', async () => {
    const ports = new DriverPorts({ first: 30_000, last: 30_099 }, host().hold);
    const held = await Promise.all(Array.from({ length: 8 }, () => ports.take(UIA2)));
    const others = held.flatMap(({ ports: { webviewDevtoolsPort: _, ...rest } }) => Object.values(rest));
    for (const { webviewDevtoolsPort = 0 } of held.map((each) => each.ports))
      expect(others.filter((port) => port > webviewDevtoolsPort && port < webviewDevtoolsPort + 10)).toEqual(
        [],
      );
  });
});

describe('ports for drivers on this host', () => {
  it('ports for drivers on this host are not given while a program listens on them, on any address (contract 14.5)', async () => {
    for (const address of ['127.0.0.1', '0.0.0.0']) {
      const server = createServer().listen(0, address);
      await once(server, 'listening');
      const { port } = server.address() as { port: number };
      expect(await holdPort(port)).toBeNull();
      server.close();
      await once(server, 'close');
      const end = await holdPort(port);
      expect(end).not.toBeNull();
      end?.();
    }
  });

  it('ports for drivers on this host are not leaked by forty creates and ends at once of two servers (contract 14.5)', async () => {
    const servers = [new DriverPorts(RANGE), new DriverPorts(RANGE)] as const;
    const seen = new Set<number>();
    const create = async (index: number) => {
      const held = await take(servers[index % 2 === 0 ? 0 : 1]);
      const ports = Object.values(held.ports);
      expect(ports.filter((port) => seen.has(port))).toEqual([]);
      for (const port of ports) seen.add(port);
      await new Promise(setImmediate);
      for (const port of ports) seen.delete(port);
      held.release();
    };
    await Promise.all(Array.from({ length: 40 }, (_, index) => create(index)));
    expect(servers.map(({ inUse }) => inUse)).toEqual([0, 0]);
  });

  it('ports for drivers on this host are free again when a server that has them is killed (contract 14.5)', async () => {
    const { ports } = await take(new DriverPorts(RANGE), ['systemPort']);
    open.splice(0)[0]?.release();
    const port = ports.systemPort as number;
    const script = `require('node:dgram').createSocket('udp4').bind({ port: ${port}, address: '127.0.0.1', exclusive: true }, () => console.log('bound'))`;
    const child = spawn(process.execPath, ['-e', script]);
    await once(child.stdout, 'data');
    expect(await holdPort(port)).toBeNull();
    child.kill('SIGKILL');
    await once(child, 'exit');
    const end = await holdPort(port);
    expect(end).not.toBeNull();
    end?.();
  });
});
