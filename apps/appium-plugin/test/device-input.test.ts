import { InputFailed } from '@svc/device-lab';
import { beforeEach, describe, expect, it } from 'vitest';
import type { InnerDriver } from '../src/appium-types.ts';
import { inputThrough } from '../src/device-input.ts';

const ID = 's1';

/** Fake driver that runs its commands one after the other, like Appium's base driver. */
class ToyDriver {
  readonly calls: unknown[][] = [];
  readonly names: string[] = [];
  failing: { error: string } | Error | null = null;
  #queue: Promise<unknown> = Promise.resolve();

  async deleteSession(): Promise<unknown> {
    return null;
  }

  async executeCommand(name: string, ...args: unknown[]): Promise<unknown> {
    this.names.push(name);
    const run = this.#queue.then(() =>
      (this as unknown as Record<string, (...a: unknown[]) => unknown>)[name]?.(...args),
    );
    this.#queue = run.catch(() => undefined);
    return await run;
  }

  async keys(...args: unknown[]) {
    this.calls.push(['keys', ...args]);
    if (this.failing !== null) throw this.failing;
  }

  async performActions(...args: unknown[]) {
    this.calls.push(['performActions', ...args]);
  }
}

describe('input through a driver', () => {
  let driver: ToyDriver;
  const put = (input: Parameters<typeof inputThrough>[2]) =>
    inputThrough(driver as unknown as InnerDriver, ID, input);
  beforeEach(() => {
    driver = new ToyDriver();
  });

  it('input through a driver types by the keys of the driver, by a command whose name and arguments hold no text (contract 2 /control)', async () => {
    await put({ kind: 'text', text: 'abc' });
    expect(driver.calls).toEqual([['keys', 'abc', ID]]);
    expect(driver.names.join()).toMatch(/^svcDeviceInput\d+$/);
    expect(Object.keys(driver).filter((name) => name.startsWith('svc'))).toEqual([]);
  });

  it('input through a driver presses key by key where no field has the focus or the driver has no keys (contract 2 /control)', async () => {
    driver.failing = { error: 'invalid element state' };
    await put({ kind: 'text', text: 'a😀' });
    expect(driver.calls[1]).toEqual([
      'performActions',
      [
        {
          type: 'key',
          id: 'svc',
          actions: ['a', '😀'].flatMap((value) => [
            { type: 'keyDown', value },
            { type: 'keyUp', value },
          ]),
        },
      ],
      ID,
    ]);
  });

  it('input through a driver taps where that part of the screen is in the units of the driver (contract 2 /control)', async () => {
    await expect(put({ kind: 'tap', x: 0.5, y: 1 })).rejects.toThrow('getWindowRect: unknown method');
    let rect: unknown = null;
    Object.assign(driver, { getWindowRect: async () => rect });
    for (rect of [null, { width: 0, height: 9 }, { width: 'x' }]) {
      await expect(put({ kind: 'tap', x: 0.5, y: 1 })).rejects.toThrow('getWindowRect: no size');
    }
    rect = { x: 0, y: 0, width: 101, height: 200 };
    await put({ kind: 'tap', x: 0.5, y: 1 });
    expect(driver.calls).toEqual([
      [
        'performActions',
        [
          {
            type: 'pointer',
            id: 'svc',
            parameters: { pointerType: 'touch' },
            actions: [
              { type: 'pointerMove', duration: 0, origin: 'viewport', x: 50, y: 199 },
              { type: 'pointerDown', button: 0 },
              { type: 'pause', duration: 50 },
              { type: 'pointerUp', button: 0 },
            ],
          },
        ],
        ID,
      ],
    ]);
  });

  it('input through a driver types nothing twice: after any other error it gives up, and quotes nothing of it', async () => {
    driver.failing = new Error('could not type "secret"');
    const failed = await put({ kind: 'text', text: 'secret' }).catch((error: unknown) => error);
    expect(failed).toBeInstanceOf(InputFailed);
    expect(String(failed)).not.toContain('secret');
    expect(driver.calls).toHaveLength(1);
  });

  it('a driver without clipboard fails; one with it gets base64 (contract 2 /control)', async () => {
    await expect(put({ kind: 'clipboard', content: 'ü' })).rejects.toThrow(InputFailed);
    const copied: unknown[] = [];
    Object.assign(driver, { setClipboard: async (...args: unknown[]) => void copied.push(...args) });
    await put({ kind: 'clipboard', content: 'ü' });
    expect(copied).toEqual(['w7w=', 'plaintext', ID]);
  });
});
