import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { generate } from 'selfsigned';
import { freshDataDir } from '../../support/lab.ts';

interface Shown {
  readonly key: string;
  readonly cert: string;
}

/** A private certificate authority and the certificates that it signs. */
export interface Authority {
  /** PEM file. */
  readonly file: string;
  /** Creates a certificate for `altName`, which is an IPv4 address or a host name. */
  sign(altName: string): Promise<Shown>;
}

export async function startAuthority(): Promise<Authority> {
  const own = await generate([{ name: 'commonName', value: 'a private authority' }], {
    extensions: [{ name: 'basicConstraints', cA: true }],
  });
  const file = join(freshDataDir(), 'ca.pem');
  writeFileSync(file, own.cert);
  const sign = async (altName: string): Promise<Shown> => {
    const name = /^[\d.]+$/.test(altName)
      ? ({ type: 7, ip: altName } as const)
      : ({ type: 2, value: altName } as const);
    const made = await generate([{ name: 'commonName', value: 'grid' }], {
      ca: { key: own.private, cert: own.cert },
      extensions: [{ name: 'subjectAltName', altNames: [name] }],
    });
    return { key: made.private, cert: made.cert };
  };
  return { file, sign };
}
