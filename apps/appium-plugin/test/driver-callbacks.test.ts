import { AsyncLocalStorage } from 'node:async_hooks';
import { LOCAL_ORIGIN } from '@svc/auth-core';
import type { Admission } from '@svc/device-lab';
import { type GateContext, type GateOrigin, RunningCommands } from '@svc/webdriver-gate';
import { beforeEach, describe, expect, it } from 'vitest';
import type { InnerDriver, UmbrellaDriver } from '../src/appium-types.ts';
import { DriverCallbacks } from '../src/driver-callbacks.ts';

const ID = '0e984725-c51c-4bf4-9960-e1c80e27aba0';

let running: RunningCommands;
let contexts: AsyncLocalStorage<GateContext>;
let callbacks: DriverCallbacks;
let attached: string[];
let umbrella: UmbrellaDriver;

beforeEach(() => {
  running = new RunningCommands();
  contexts = new AsyncLocalStorage();
  // Fake of the callback addresses. The number of running commands takes the place of the secret in an address.
  const addresses = {
    open: (id: string) => {
      const commands = running.of(id).length;
      return commands === 0 ? '' : `/svc-callback/${commands}`;
    },
  };
  callbacks = new DriverCallbacks({ addresses, running, contexts });
  attached = [];
  umbrella = {
    sessions: {},
    attachUnexpectedShutdownHandler: (_driver: InnerDriver, id: string) => attached.push(id),
  } as unknown as UmbrellaDriver;
});

/** Does what Appium does in a create-session request: it gives the driver its address, then attaches the session. */
function appiumCreates(serverPath: string | undefined): InnerDriver {
  const driver = { serverPath } as InnerDriver;
  umbrella.attachUnexpectedShutdownHandler(driver, ID);
  return driver;
}

const create = <T>(work: () => T, admission: object): Promise<T> => {
  const context = { kind: 'create', admission: admission as Admission, from: LOCAL_ORIGIN as GateOrigin };
  return contexts.run(context as GateContext, () => callbacks.during(umbrella, async () => work()));
};
const ANA = { caller: { account: { id: 'ana' } } };

describe('the serverPath of a driver (contract 7)', () => {
  it.each([
    ['', '/svc-callback/1'],
    ['/wd/hub', '/svc-callback/1/wd/hub'],
    [undefined, '/svc-callback/1'],
  ])('%s has a callback address before it while a command of the session runs', async (own, expected) => {
    const driver = await create(() => appiumCreates(own), ANA);
    expect(attached).toEqual([ID]);
    expect(driver.serverPath).toBe(own);
    const command = running.begin(ID, 'hub');
    expect(driver.serverPath).toBe(expected);
    running.end(command);
    expect(driver.serverPath).toBe(own);
  });

  it('a driver has a serverPath while the session is created, from when Appium knows the session until the create ends (contract 7)', async () => {
    const driver = await create(() => {
      const created = appiumCreates('');
      expect(created.serverPath).toBe('/svc-callback/1');
      return created;
    }, ANA);
    expect(driver.serverPath).toBe('');
    expect(running.of(ID)).toEqual([]);
  });

  it('a driver has a serverPath in a create that came through the hub, and none in a create without credentials (contract 7)', async () => {
    await create(() => expect(appiumCreates('').serverPath).toBe('/svc-callback/1'), { fromHub: {} });
    await create(() => expect(appiumCreates('').serverPath).toBe(''), { caller: null });
  });

  it('the serverPath of a driver can be assigned, and is in no copy of the properties of the driver (contract 7)', async () => {
    const driver = await create(() => appiumCreates(''), ANA);
    driver.serverPath = '/other';
    running.begin(ID, 'hub');
    expect(driver.serverPath).toBe('/svc-callback/1/other');
    expect({ ...driver }).toEqual({});
    expect(JSON.stringify(driver)).toBe('{}');
  });

  it('the serverPath of a driver ends with the create also when the create fails (contract 7)', async () => {
    const failing = create(() => {
      appiumCreates('');
      throw new Error('no phone');
    }, ANA);
    await expect(failing).rejects.toThrow('no phone');
    expect(running.of(ID)).toEqual([]);
  });
});
