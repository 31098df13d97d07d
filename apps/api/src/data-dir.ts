import { generateKeyPairSync, randomUUID } from 'node:crypto';
import {
  chmodSync,
  existsSync,
  linkSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { KeyRing, type Log } from '@svc/auth-core';

const KEY_FILE = 'signing-key.pem';

/** Names of the files a backup holds besides the database and the apps. */
export function isKeyFile(name: string): boolean {
  return /^(?:signing-key[\w-]*\.(?:pem|json)|audit-key)$/.test(name);
}

export function keyFilesIn(dataDir: string): string[] {
  return existsSync(dataDir) ? readdirSync(dataDir).filter(isKeyFile).sort() : [];
}

export function auditKeyFile(dataDir: string): string {
  return join(dataDir, 'audit-key');
}

/** Files of the app library. */
export function appFolder(dataDir: string): string {
  return join(dataDir, 'apps');
}

export function prepareDataDir(dataDir: string): void {
  mkdirSync(dataDir, { recursive: true, mode: 0o700 });
}

/**
 * The signing key of this installation, made at the first start. A key that is there but cannot be read does not
 * stop the server: cookies and key pairs still work, minting answers 503 (contract 4).
 */
export async function loadKeyRing(dataDir: string, log: Log): Promise<KeyRing> {
  const file = join(dataDir, KEY_FILE);
  try {
    return await KeyRing.fromPem(readOrCreateKey(file, log));
  } catch (error) {
    log.error(
      `The signing key ${KEY_FILE} in the data folder cannot be used: no token can be made or checked until it is ` +
        'put back from a backup, or deleted to have a new one made at the next start',
      { code: (error as NodeJS.ErrnoException).code },
    );
    return KeyRing.empty();
  }
}

/** Anyone with the file can sign tokens (specification 5.3.7): its mode is 0600, also after a restore. */
function readOrCreateKey(file: string, log: Log): string {
  try {
    const pem = readFileSync(file, 'utf8');
    if ((statSync(file).mode & 0o077) !== 0) {
      log.warn(`The signing key ${KEY_FILE} could be read by others on this host; its mode is 0600 again`);
      chmodSync(file, 0o600);
    }
    return pem;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
    createKey(file);
    return readFileSync(file, 'utf8');
  }
}

/** Written to a temporary file and then linked: of two concurrent first starts one wins and neither reads half a key. */
function createKey(file: string): void {
  const { privateKey } = generateKeyPairSync('ec', {
    namedCurve: 'P-256',
    privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
    publicKeyEncoding: { type: 'spki', format: 'pem' },
  });
  const draft = `${file}.${randomUUID()}`;
  writeFileSync(draft, privateKey, { mode: 0o600, flag: 'wx' });
  chmodSync(draft, 0o600);
  try {
    linkSync(draft, file);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  } finally {
    rmSync(draft, { force: true });
  }
}
