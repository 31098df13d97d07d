import { describe, expect, it } from 'vitest';
import {
  isHealthReason,
  isSameProblem,
  judgeHealth,
  NO_ANSWER,
  type PhoneHealth,
  readHealth,
} from '../src/care/judge-health.ts';

const LIMITS = { minBattery: 15, maxTemperature: 50 };
const WELL: PhoneHealth = {
  isBooted: true,
  battery: 90,
  isCharging: false,
  temperature: 29.5,
  storageFree: 5_000_000_000,
};

describe('the health of a phone', () => {
  it.each([
    ['all is well', {}, null],
    [
      'it does not say anything but that it has booted',
      { battery: null, temperature: null, storageFree: null },
      null,
    ],
    ['Android still boots', { isBooted: false, battery: 3 }, 'it has not finished booting'],
    ['the battery is at the limit', { battery: 15 }, null],
    ['the battery is below the limit', { battery: 14 }, 'its battery has 14 % and does not charge'],
    ['a battery below the limit charges', { battery: 0, isCharging: true }, null],
    ['the temperature is at the limit', { temperature: 50 }, null],
    ['the temperature is above the limit', { temperature: 50.1 }, 'its battery has 50.1 °C'],
    ['the storage is at the limit', { storageFree: 500_000_000 }, null],
    ['the storage is below the limit', { storageFree: 499_999_999 }, 'it has 499 MB of free storage'],
  ] as const)('the health of a phone is judged if %s (contract 17.2)', (_, change, problem) => {
    expect(judgeHealth({ ...WELL, ...change }, LIMITS)).toBe(problem);
    if (problem !== null) expect(isHealthReason(problem)).toBe(true);
  });

  it('the health of a phone is the same problem when only the measured value differs (contract 17.2)', () => {
    expect(isHealthReason(NO_ANSWER)).toBe(true);
    expect(isHealthReason('the driver refused 3 creates in a row')).toBe(false);
    expect(
      isSameProblem('its battery has 14 % and does not charge', 'its battery has 9 % and does not charge'),
    ).toBe(true);
    expect(isSameProblem('its battery has 14 % and does not charge', 'its battery has 51 °C')).toBe(false);
  });
});

const OUTPUT = `svc:boot
1
svc:battery
Current Battery Service state:
  AC powered: false
  USB powered: true
  Max charging current: 500000
  level: 42
  scale: 50
  temperature: 305
svc:storage
Filesystem     1K-blocks    Used Available Use% Mounted on
/dev/block/dm-8 118000000 40000000  78000000  34% /data
`;

describe('the output of the health command', () => {
  it.each([
    ['line feeds', OUTPUT],
    ['carriage returns', OUTPUT.replaceAll('\n', '\r\n')],
  ])('the output of the health command is read with %s (contract 17.2)', (_, output) => {
    expect(readHealth(output)).toEqual({
      isBooted: true,
      battery: 84,
      isCharging: true,
      temperature: 30.5,
      storageFree: 78_000_000 * 1024,
    });
  });

  it.each([
    ['nothing', '', undefined],
    ['an error of the shell', 'error: closed\n', undefined],
    ['no programs', 'svc:boot\nsvc:battery\nsh: dumpsys: not found\nsvc:storage\nsh: df: not found\n', false],
    ['a phone that boots', 'svc:boot\n0\nsvc:battery\nsvc:storage\n', false],
    ['a scale of 0', 'svc:boot\n1\nsvc:battery\n  level: 5\n  scale: 0\nsvc:storage\n', true],
    ['huge numbers', `svc:boot\n1\nsvc:battery\n  level: ${'9'.repeat(400)}\nsvc:storage\n`, true],
  ])(
    'the output of the health command is no measurement if it consists of %s (contract 17.2)',
    (_, output, isBooted) => {
      const nothing = { isBooted, battery: null, isCharging: false, temperature: null, storageFree: null };
      expect(readHealth(output)).toEqual(isBooted === undefined ? undefined : nothing);
    },
  );
});
