import { silentLog } from '@svc/auth-core/testing';
import { DeviceLab, type DeviceSource } from '@svc/device-lab';
import { sampleAdmission, sampleStart } from '@svc/device-lab/testing';
import { labStores } from '@svc/store-sqlite/testing';
import { expect, it } from 'vitest';
import { drawScreen, type ScreenContent } from '../src/virtual-phones/screen.ts';
import { virtualPhones } from '../src/virtual-phones.ts';

const ID = '0b5c1d9e-6f1a-4c56-9b1e-3f2b7a8c9d0e';
const clock = { now: () => 0 };
const draw = async (content: ScreenContent) => drawScreen(content);

function openLab(source: DeviceSource): DeviceLab {
  const lab = new DeviceLab({
    sessions: labStores().sessions,
    commands: labStores().commands,
    deviceSettings: labStores().deviceSettings,
    sources: [source],
    maxSessions: () => 0,
    retentionDays: { commands: () => 30, sessions: () => 365 },
    clock,
    log: silentLog(),
  });
  lab.start();
  return lab;
}

function linesOf(source: DeviceSource, udid: string): string[] {
  const lines: string[] = [];
  const close = source.streams
    ?.lines(udid)
    ?.open({ line: (text) => lines.push(text), ended: () => undefined }, true);
  close?.();
  return lines;
}

/** The first frame that a viewer gets. */
function frameOf(source: DeviceSource, udid: string): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const close = source.streams?.frames(udid)?.open({
      frame: (jpeg) => {
        close?.();
        resolve(Buffer.from(jpeg));
      },
      ended: reject,
    });
  });
}

it('a virtual phone shows that a session runs and ends on it, but not its whole id or why it ended (contract 3.4, spec 5.7)', async () => {
  const source = virtualPhones({ count: 2, prefix: 'virtual', clock, draw });
  const lab = openLab(source);
  const idle = await frameOf(source, 'virtual-1');
  await lab.creates.createSession(
    sampleAdmission(),
    { alwaysMatch: { 'appium:udid': 'virtual-1' } },
    sampleStart(ID),
  );
  expect((await frameOf(source, 'virtual-1')).equals(idle)).toBe(false);
  lab.recordEnd(ID, { category: 'Session Lost', reason: 'typed a secret' });
  expect((await frameOf(source, 'virtual-1')).equals(idle)).toBe(true);
  expect(linesOf(source, 'virtual-1')).toEqual([
    '1970-01-01T00:00:00.000Z session 0b5c1d9e started',
    '1970-01-01T00:00:00.000Z session 0b5c1d9e ended: failed',
  ]);
  expect(linesOf(source, 'virtual-2')).toEqual([]);
});

it('an input is noted without its text, and a clipboard never reaches the driver, which has none (contract 2 /control)', async () => {
  const source = virtualPhones({ count: 1, prefix: 'virtual', clock, draw });
  const calls: string[] = [];
  const session = {
    drive: async () => void calls.push('drive'),
    keepAlive: async () => void calls.push('keepAlive'),
  };
  await source.input?.('virtual-1', { kind: 'text', text: 'secret' }, session);
  await source.input?.('virtual-1', { kind: 'clipboard', content: 'secret' }, session);
  expect(calls).toEqual(['drive', 'keepAlive']);
  expect(linesOf(source, 'virtual-1').map((line) => line.replace(/^\S+ /, ''))).toEqual([
    'text of 6 characters',
    'clipboard of 6 characters',
  ]);
  await expect(
    source.input?.(
      'virtual-1',
      { kind: 'tap', x: 0, y: 0 },
      { ...session, drive: () => Promise.reject('off') },
    ),
  ).rejects.toBe('off');
  expect(linesOf(source, 'virtual-1')).toHaveLength(2);
});

it('the viewers of a screen that cannot be drawn end, and later frames are not drawn (contract 9)', async () => {
  let calls = 0;
  const failing = async () => {
    calls += 1;
    throw new Error('no thread');
  };
  const source = virtualPhones({ count: 1, prefix: 'virtual', clock, draw: failing });
  await expect(frameOf(source, 'virtual-1')).rejects.toContain('no thread');
  expect(calls).toBe(1);
});
