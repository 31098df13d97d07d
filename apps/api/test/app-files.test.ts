import { createHash, randomUUID } from 'node:crypto';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { AppFolder } from '@svc/data-folder';
import { attachment } from '@svc/module';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';

let folder: string;
let files: AppFolder;

beforeEach(() => {
  folder = join(mkdtempSync(join(tmpdir(), 'svc-apps-')), 'apps');
  files = new AppFolder(folder);
});
afterEach(() => rmSync(join(folder, '..'), { recursive: true, force: true }));

async function* content(...chunks: string[]): AsyncGenerator<Uint8Array> {
  for (const chunk of chunks) yield Buffer.from(chunk);
}

const received = (...chunks: string[]) => files.receive(content(...chunks), () => undefined);

async function read(id: string): Promise<string> {
  const file = await files.open(id);
  if (file === undefined) return 'none';
  const chunks: Uint8Array[] = [];
  for await (const chunk of file.read()) chunks.push(chunk);
  await file.close();
  return Buffer.concat(chunks).toString();
}

describe('files of the library (contract 2, apps)', () => {
  it('files of the library come in under a name of our own, for this account only, and get the id of their app (contract 2, apps)', async () => {
    const file = await received('one', 'two');
    expect(file).toMatchObject({ size: 6, sha256: createHash('sha256').update('onetwo').digest('hex') });
    const [name = ''] = readdirSync(folder);
    expect(name).toMatch(/^[0-9a-f-]{36}\.part$/);
    expect(statSync(join(folder, name)).mode & 0o777).toBe(0o600);
    expect(statSync(folder).mode & 0o777).toBe(0o700);
    const id = randomUUID();
    await file.keep(id);
    expect(readdirSync(folder)).toEqual([id]);
    expect(await read(id)).toBe('onetwo');
  });

  it('files of the library leave nothing when they do not come in whole, or are discarded before or after they are kept (contract 2, apps)', async () => {
    async function* broken(): AsyncGenerator<Uint8Array> {
      yield Buffer.from('half');
      throw new Error('gone');
    }
    await expect(files.receive(broken(), () => undefined)).rejects.toThrow('gone');
    const refuse = () => {
      throw new Error('too much');
    };
    await expect(files.receive(content('x'), refuse)).rejects.toThrow('too much');
    async function* full(): AsyncGenerator<Uint8Array> {
      yield Buffer.from('half');
      throw Object.assign(new Error('write'), { code: 'ENOSPC' });
    }
    await expect(files.receive(full(), () => undefined)).rejects.toMatchObject({
      code: 'disk_full',
      status: 507,
    });
    await (await received('x')).discard();
    const kept = await received('x');
    await kept.keep(randomUUID());
    await kept.discard();
    expect(readdirSync(folder)).toEqual([]);
  });

  it('files of the library are read to their end although they are removed meanwhile (contract 2, apps)', async () => {
    const id = randomUUID();
    await (await received('content')).keep(id);
    const file = await files.open(id);
    await files.remove(id);
    await files.remove(id);
    expect(existsSync(join(folder, id))).toBe(false);
    const chunks: Uint8Array[] = [];
    for await (const chunk of file?.read() ?? []) chunks.push(chunk);
    expect(Buffer.concat(chunks).toString()).toBe('content');
    await file?.close();
    expect(await files.open(id)).toBeUndefined();
  });

  it('files of the library have no name from outside (contract 2, apps)', async () => {
    writeFileSync(join(folder, '..', 'secret'), 'x');
    for (const id of [
      '../secret',
      '..',
      '.',
      '',
      'a',
      `${randomUUID()}.part`,
      `${randomUUID()}/../../secret`,
    ]) {
      expect(await files.open(id), id).toBeUndefined();
      await files.remove(id);
      await expect((await received('y')).keep(id), id).rejects.toThrow('not an id');
    }
    expect(readFileSync(join(folder, '..', 'secret'), 'utf8')).toBe('x');
  });

  it("the start removes app files that have no row, are cut short or are unfinished, and keeps files that are not the library's (contract 2, apps)", async () => {
    const [whole, short, orphan, gone, link] = Array.from({ length: 5 }, () => randomUUID()) as [
      string,
      string,
      string,
      string,
      string,
    ];
    for (const id of [whole, short, orphan]) writeFileSync(join(folder, id), 'four');
    writeFileSync(join(folder, `${randomUUID()}.part`), 'half');
    writeFileSync(join(folder, 'README'), 'of the operator');
    mkdirSync(join(folder, 'lost+found'));
    symlinkSync(join(folder, 'README'), join(folder, link));
    const sizes = new Map([
      [whole, 4],
      [short, 5],
      [gone, 4],
      [link, 15],
    ]);
    const { removed, missing } = new AppFolder(folder).tidy(sizes);
    expect([...missing].sort()).toEqual([short, gone, link].sort());
    expect(removed).toBe(4);
    expect(readdirSync(folder).sort()).toEqual(['README', 'lost+found', whole].sort());
  });

  it('files of the library are in a folder that others cannot enter, also one that was there (contract 2, apps)', () => {
    chmodSync(folder, 0o755);
    new AppFolder(folder);
    expect(statSync(folder).mode & 0o777).toBe(0o700);
  });
});

describe('the name a download suggests (RFC 6266)', () => {
  it.each([
    ['app.apk', `attachment; filename="app.apk"; filename*=UTF-8''app.apk`],
    [
      'a "b" \\ 100%.apk',
      `attachment; filename="a _b_ _ 100_.apk"; filename*=UTF-8''a%20%22b%22%20%5C%20100%25.apk`,
    ],
    ["é'(x)*;.ipa", `attachment; filename="_'(x)*;.ipa"; filename*=UTF-8''%C3%A9%27%28x%29%2A%3B.ipa`],
  ])('%s', (name, header) => {
    expect(attachment(name)).toBe(header);
  });
});
