import { silentLog } from '@svc/auth-core/testing';
import { expect, it } from 'vitest';
import { DeviceLab } from '../src/device-lab.ts';
import { VirtualPhones } from '../src/previews/virtual-phones.ts';
import { virtualDevices } from '../src/sources/listed-devices.ts';
import {
  MemoryCommandLog,
  MemoryDeviceSettings,
  MemoryDriverSessions,
  sampleAdmission,
  sampleStart,
} from '../src/testing/index.ts';

it('(contract 3.4, specification 5.7) whoever sees a phone does not learn the id of the session on it', async () => {
  const clock = { now: () => 0 };
  const lab = new DeviceLab({
    sessions: new MemoryDriverSessions(new MemoryCommandLog()),
    commands: new MemoryCommandLog(),
    deviceSettings: new MemoryDeviceSettings(),
    sources: [virtualDevices(1, 'virtual')],
    maxSessions: () => 0,
    retentionDays: { commands: () => 30, sessions: () => 365 },
    clock,
    log: silentLog(),
  });
  lab.start();
  const phones = new VirtualPhones(lab, clock);
  const id = '0b5c1d9e-6f1a-4c56-9b1e-3f2b7a8c9d0e';
  await lab.createSession(sampleAdmission(), {}, sampleStart(id));
  const shown: string[] = [JSON.stringify(phones.screen('virtual-1'))];
  lab.recordEnd(id, { category: 'Session Lost', reason: 'typed a secret' });
  const close = phones.lines('virtual-1').open({ line: (text) => shown.push(text), ended: () => undefined });
  close();
  expect(shown.join('\n')).toContain('0b5c1d9e');
  expect(shown.join('\n')).not.toMatch(new RegExp(`${id}|secret`));
});
