import { closeSync, mkdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, it, test } from 'vitest';
import { copyDatabase, makeFolder, openNewFile, writeDraft } from '../src/index.ts';
import { eachTestItsPlace } from './place.ts';

const place = eachTestItsPlace();
const modeOf = (path: string) => (statSync(path).mode & 0o7777).toString(8);
const usual = process.umask();
afterEach(() => void process.umask(usual));

describe('makeFolder', () => {
  test.each(['000', '022', '777'])(
    'makeFolder creates each missing folder for its owner alone under the umask %s (contract 5, SVC_DATA_DIR)',
    (umask) => {
      process.umask(Number.parseInt(umask, 8));
      const top = join(place().folder, 'one');
      makeFolder(join(top, 'two', 'three'));
      expect([top, join(top, 'two'), join(top, 'two', 'three')].map(modeOf)).toEqual(['700', '700', '700']);
    },
  );

  it('makeFolder leaves an existing folder and its mode as they are (contract 5, SVC_DATA_DIR)', () => {
    const folder = join(place().folder, 'there');
    mkdirSync(folder, { mode: 0o750 });
    makeFolder(folder);
    expect(modeOf(folder)).toBe('750');
  });

  it('makeFolder names the folder, the reason and the way out when a file is in its way (contract 5, SVC_DATA_DIR)', () => {
    const file = join(place().folder, 'file');
    writeFileSync(file, '');
    expect(() => makeFolder(file)).toThrow(
      `The folder ${file} cannot be created: a file has this name (EEXIST). Name another folder`,
    );
    expect(() => makeFolder(join(file, 'deep', 'er'))).toThrow(
      `The folder ${file} cannot be created: a file has this name`,
    );
  });

  it('makeFolder ends where the parent refuses every name with ENOENT, as /proc does (contract 5, SVC_DATA_DIR)', () => {
    const refusing = process.platform === 'linux' ? '/proc' : '/dev/null';
    expect(() => makeFolder(join(refusing, 'svc', 'data'))).toThrow(/^The folder \S+ cannot be created: /);
  });
});

describe('a new file', () => {
  test.each(['000', '022', '777'])(
    'a new file has mode 0600 under the umask %s (contract 4, keys)',
    (umask) => {
      process.umask(Number.parseInt(umask, 8));
      const file = join(place().folder, 'new');
      closeSync(openNewFile(file));
      writeDraft(join(place().folder, 'draft'), 'secret');
      expect([file, join(place().folder, 'draft')].map(modeOf)).toEqual(['600', '600']);
    },
  );

  it('a new file does not take over a draft that others can read, or follow a link (contract 4, keys)', () => {
    const draft = join(place().folder, 'draft');
    const elsewhere = join(place().folder, 'elsewhere');
    writeFileSync(draft, 'old', { mode: 0o644 });
    writeDraft(draft, 'new');
    expect([modeOf(draft), readFileSync(draft, 'utf8')]).toEqual(['600', 'new']);
    writeFileSync(elsewhere, 'kept');
    symlinkSync(elsewhere, join(place().folder, 'link'));
    writeDraft(join(place().folder, 'link'), 'secret');
    expect(readFileSync(elsewhere, 'utf8')).toBe('kept');
  });
});

it('copies a database to a file of mode 0600, whatever the umask is (contract 4)', async () => {
  await place().open();
  process.umask(0);
  const copy = join(place().folder, 'copy.db');
  copyDatabase(place().file, copy);
  expect(modeOf(copy)).toBe('600');
  expect(() => copyDatabase(place().file, copy)).toThrow('EEXIST');
});
