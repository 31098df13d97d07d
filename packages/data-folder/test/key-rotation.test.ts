import { chmodSync, cpSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { signingKey, TokenSigner } from '@svc/auth-core';
import { fakeClock, seededRandom, silentLog } from '@svc/auth-core/testing';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { KeyFiles } from '../src/keys/key-files.ts';
import { KeyKeeper } from '../src/keys/key-keeper.ts';
import { advance, announceNext, dropAll, RotationRefused } from '../src/keys/rotation.ts';

const DAY = 24 * 60 * 60 * 1000;
const MINUTE = 60_000;
const NOON = Date.UTC(2026, 5, 1, 12);
const GRANT = { sub: 'u', aud: 'svc-rest', scopes: [], lifetime: 3600, until: null } as const;

describe('keys of an installation (contract 4)', () => {
  let dataDir: string;
  let clock: ReturnType<typeof fakeClock>;
  let log: ReturnType<typeof silentLog>;
  let changes: string[];

  beforeEach(() => {
    dataDir = mkdtempSync(join(tmpdir(), 'svc-keys-'));
    clock = fakeClock(NOON);
    log = silentLog();
    changes = [];
  });
  afterEach(() => rmSync(dataDir, { recursive: true, force: true }));

  const open = async (folder = dataDir) => {
    const changed = (kid: string) => void changes.push(kid);
    const keeper = await KeyKeeper.open({ dataDir: folder, mcpTokenTtl: 86_400, clock, log, changed });
    return { keeper, signer: new TokenSigner(keeper.ring, clock, seededRandom(1), 'svc') };
  };
  const kidOf = async () => (await signingKey(readFileSync(join(dataDir, 'signing-key.pem'), 'utf8'))).kid;

  it('a rotation: published, then in use, the old one kept for as long as its tokens live', async () => {
    const { keeper, signer } = await open();
    const files = new KeyFiles(dataDir);
    const before = await kidOf();
    const { token } = await signer.mint({ ...GRANT, lifetime: 86_400 });
    const next = await announceNext(files, NOON + 15 * MINUTE, log);
    await keeper.look();
    expect(keeper.ring.publicKeys(clock.now()).map(({ kid }) => kid)).toEqual([before, next]);
    expect(keeper.ring.current?.kid).toBe(before);
    await expect(announceNext(files, NOON, log)).rejects.toThrow(RotationRefused);

    clock.advance(15 * MINUTE);
    await keeper.look();
    expect(keeper.ring.current?.kid).toBe(next);
    expect(await kidOf()).toBe(next);
    expect(changes).toEqual([next]);
    expect(await signer.verify(token, ['svc-rest'])).toMatchObject({ sub: 'u' });
    expect(readFileSync(files.ringFile, 'utf8')).not.toContain('PRIVATE KEY');
    for (const file of [files.keyFile, files.ringFile]) expect(statSync(file).mode & 0o777).toBe(0o600);

    clock.advance(DAY);
    await keeper.look();
    expect(keeper.ring.publicKeys(clock.now()).map(({ kid }) => kid)).toEqual([next]);
    expect(files.ring(log)).toEqual({ next: null, retired: [] });
  });

  it('an announced key is used from its time on, even if no server ran at that time (contract 4)', async () => {
    await open();
    const next = await announceNext(new KeyFiles(dataDir), NOON + 15 * MINUTE, log);
    clock.advance(DAY);
    const { keeper } = await open();
    expect(keeper.ring.current?.kid).toBe(next);
  });

  it('a compromise leaves nothing but a new key, in a running server too', async () => {
    const { keeper, signer } = await open();
    const files = new KeyFiles(dataDir);
    const old = await kidOf();
    const { token } = await signer.mint(GRANT);
    await announceNext(files, NOON, log);
    await advance(files, { now: NOON, longestLifeMs: DAY }, log);
    await announceNext(files, NOON + DAY, log);
    let closed = 0;
    keeper.ring.onRemoval(() => {
      closed += 1;
    });
    const fresh = await dropAll(files);
    await keeper.look();
    expect(closed).toBe(1);
    expect(keeper.ring.publicKeys(clock.now()).map(({ kid }) => kid)).toEqual([fresh]);
    expect(await signer.verify(token, ['svc-rest'])).toBe('unknown key');
    expect(fresh).not.toBe(old);
  });

  it('the next start continues from every state a crash can leave, and no token minted in between is lost (contract 4)', async () => {
    const { signer } = await open();
    const files = new KeyFiles(dataDir);
    const before = await signer.mint({ ...GRANT, lifetime: 86_400 });
    const next = await announceNext(files, NOON, log);
    const states: string[] = [];
    const copy = () => {
      const state = mkdtempSync(join(tmpdir(), 'svc-keys-'));
      cpSync(dataDir, state, { recursive: true });
      states.push(state);
    };
    copy();
    for (const name of ['replaceRing', 'replaceCurrent'] as const) {
      const original = files[name].bind(files) as (content: never) => void;
      files[name] = ((content: never) => {
        // Adds an incomplete draft of the key file, as a killed process would leave it.
        writeFileSync(join(dataDir, 'signing-key.pem.half'), 'half', { mode: 0o600 });
        copy();
        original(content);
        copy();
      }) as never;
    }
    await advance(files, { now: NOON, longestLifeMs: DAY }, log);
    expect(states.length).toBe(7);
    for (const state of states) {
      const { keeper, signer: started } = await open(state);
      expect(keeper.ring.current?.kid).toBe(next);
      expect(await started.verify(before.token, ['svc-rest'])).toMatchObject({ sub: 'u' });
      expect(new KeyFiles(state).ring(log)).toMatchObject({ next: null, retired: [{}] });
      rmSync(state, { recursive: true });
    }
  });

  it('a key that cannot be read: the server starts without one, and goes on when it is put back', async () => {
    await open();
    const file = join(dataDir, 'signing-key.pem');
    const good = readFileSync(file);
    writeFileSync(file, 'nothing');
    const { keeper, signer } = await open();
    expect(keeper.ring.publicKeys(clock.now())).toEqual([]);
    await expect(signer.mint(GRANT)).rejects.toThrow('signing key unavailable');
    expect(log.messages('error')).toHaveLength(1);
    expect(log.messages('error')[0]).toMatch(/signing-key.pem .* cannot be used: no token can be made/);
    writeFileSync(file, good);
    await keeper.look();
    await signer.mint(GRANT);
  });

  it('a file that is lost or damaged beside a running server does not take its key from it', async () => {
    const { keeper, signer } = await open();
    const file = join(dataDir, 'signing-key.pem');
    const kid = await kidOf();
    for (const spoil of [() => rmSync(file), () => writeFileSync(file, 'x')]) {
      spoil();
      await keeper.look();
      expect(keeper.ring.current?.kid).toBe(kid);
      await signer.mint(GRANT);
    }
    expect(log.messages('error')).toHaveLength(1);
    expect(() => statSync(file)).not.toThrow();
  });

  it('files others could read are private again', async () => {
    await open();
    const file = join(dataDir, 'signing-key.pem');
    chmodSync(file, 0o644);
    await open();
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(log.messages('warn').join()).toMatch(/could be read by others/);
  });
});
