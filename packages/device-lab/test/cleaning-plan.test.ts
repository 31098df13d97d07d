import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { clipboardCommand, planCleaning, quoted } from '../src/care/cleaning/cleaning-plan.ts';
import { contentCommand, mayUninstall, readContent } from '../src/care/cleaning/phone-content.ts';

const MARK = 'svc0123';
const VALUES = { autoRotation: '1', rotation: '0', httpProxy: null, locale: 'en-US' };

/** Output of a phone, as `contentCommand` of the mode `data` prints it. */
function output({ packages = ['com.a'], files = '', proxy = 'null', end = `${MARK}:end\n` } = {}): string {
  const parts = [
    `packages\n${packages.map((name) => `package:${name}\n`).join('')}`,
    'listed\n',
    'sdk\n34\n',
  ];
  parts.push('autoRotation\n1\n', 'rotation\n0\n', `httpProxy\n${proxy}\n`, 'locale\n\nen-US\n', 'mounted\n');
  return `${[...parts, `files\n${files}`].map((part) => `${MARK}:${part}`).join('')}${end}`;
}

describe('the content of a phone', () => {
  it('the content of a phone is read from one command (contract 17.3)', () => {
    const files = '/sdcard/Download\0/sdcard/Download/a b\0/sdcard/Download/c\nd\0/system/x\0';
    expect(readContent('data', MARK, output({ files, proxy: 'host:80' }))).toEqual({
      packages: ['com.a'],
      files: ['/sdcard/Download/a b', '/sdcard/Download/c\nd'],
      values: { ...VALUES, httpProxy: 'host:80' },
      apiLevel: 34,
      isComplete: true,
    });
  });

  it('the content of a phone is unknown if a list failed or the storage is not mounted (contract 17.3)', () => {
    for (const part of ['listed\n', 'mounted\n'])
      expect(readContent('data', MARK, output().replace(`${MARK}:${part}`, ''))).toBeUndefined();
    expect(readContent('apps', MARK, `${MARK}:packages\npackage:com.a\n`)).toBeUndefined();
  });

  it('the content of a phone has no path that was cut off, and no part that a file name pretends (contract 17.3)', () => {
    const files = '/sdcard/Download/svc9999:end\n\0/sdcard/Download/cu';
    const content = readContent('data', MARK, output({ files, end: '' }));
    expect(content).toMatchObject({ isComplete: false, files: ['/sdcard/Download/svc9999:end\n'] });
  });

  it('the content of a phone is asked for without any input of a client (contract 17.3)', () => {
    expect(contentCommand('apps', MARK)).toBe(
      `echo ${MARK}:packages; pm list packages -3 && echo ${MARK}:listed; echo ${MARK}:sdk; getprop ro.build.version.sdk; echo ${MARK}:end`,
    );
  });
});

describe('the cleaning of a phone', () => {
  const now = {
    packages: [] as string[],
    files: [] as string[],
    values: VALUES,
    apiLevel: 34,
    isComplete: true,
  };
  const before = { packages: ['com.lab'], files: ['/sdcard/Download/kept'], values: VALUES };

  it('the cleaning of a phone uninstalls what was not there, but no helper of a driver (contract 17.3)', () => {
    const packages = ['com.lab', 'com.left', 'io.appium.settings', 'io.appium.uiautomator2.server.test'];
    expect(planCleaning(before, { ...now, packages })).toEqual({
      commands: ["pm uninstall 'com.left'"],
      removed: ['com.left'],
    });
    expect(['com.a;reboot', 'android', '-k', 'com.a b', ''].filter(mayUninstall)).toEqual([]);
  });

  it('the cleaning of a phone deletes new files and folders, and sets values back (contract 17.3)', () => {
    const files = [
      '/sdcard/Download/kept',
      '/sdcard/Download/new',
      '/sdcard/Download/new/x',
      "/data/local/tmp/it's",
    ];
    const values = { autoRotation: '0', rotation: '1', httpProxy: 'host:80', locale: 'de-DE' };
    expect(planCleaning(before, { ...now, packages: ['com.lab'], files, values })).toEqual({
      commands: [
        "rm -rf -- '/data/local/tmp/it'\\''s' '/sdcard/Download/new'",
        "settings put system accelerometer_rotation '1'",
        "settings put system user_rotation '0'",
        "settings put global http_proxy ':0'",
        'am broadcast -a io.appium.settings.locale -n io.appium.settings/.receivers.LocaleSettingReceiver --es lang en --es country US',
      ],
      removed: [
        "/data/local/tmp/it's",
        '/sdcard/Download/new',
        'autoRotation',
        'rotation',
        'httpProxy',
        'locale',
      ],
    });
  });

  it('the cleaning of a phone leaves a phone alone that has only what was there before (contract 17.3)', () => {
    const name = fc.stringMatching(/^[a-z]{1,5}(\.[a-z]{1,5}){1,3}$/);
    const path = fc.string().map((text) => `/sdcard/Download/${text.replaceAll('\0', '')}`);
    fc.assert(
      fc.property(
        fc.array(name),
        fc.array(path),
        fc.array(name),
        fc.array(path),
        (apps, files, gone, lost) => {
          const known = { packages: [...apps, ...gone], files: [...files, ...lost], values: VALUES };
          const plan = planCleaning(known, { ...now, packages: apps, files });
          expect(plan).toEqual({ commands: [], removed: [] });
        },
      ),
    );
  });

  it('the cleaning of a phone splits the deletion of many files into short commands (contract 17.3)', () => {
    const files = Array.from({ length: 500 }, (_, index) => `/sdcard/Download/file ${index}`);
    const { commands } = planCleaning(before, { ...now, files });
    expect(Math.max(...commands.map(({ length }) => length))).toBeLessThanOrEqual(2_000);
    expect(commands.join(' ').match(/'[^']*'/g)).toHaveLength(500);
  });

  it('the cleaning of a phone quotes any text as one argument of a shell (contract 17.3)', () => {
    fc.assert(
      fc.property(fc.string(), (text) => {
        const inner = quoted(text).slice(1, -1).split("'\\''");
        expect([inner.join("'"), inner.some((part) => part.includes("'"))]).toEqual([text, false]);
      }),
    );
  });

  it('the cleaning of a phone empties the clipboard where Android has a call for it (contract 17.3)', () => {
    expect([0, 27].map(clipboardCommand)).toEqual([null, null]);
    expect(clipboardCommand(30)).toBe('service call clipboard 2 s16 com.android.shell i32 0');
    expect(clipboardCommand(34)).toContain("s16 '' i32 0 i32 0");
  });
});
