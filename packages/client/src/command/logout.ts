import { parseArgs } from 'node:util';
import { type CredentialEntries, storedCredentials } from '../credentials-file.ts';
import { addressIn, type Environment, UnusableSetting } from '../environment.ts';
import { type Command, UsageError } from './command.ts';
import { revokeStored } from './revoke.ts';
import { removeCredentials } from './store-credentials.ts';

export const logout: Command = {
  usage: `logout [<address>]

Revokes the token that \`login\` stored for a lab, and removes it from this machine. It is removed even if the lab does
not answer.

  <address>  scheme, host and port of the lab (default: SVC_URL, or the only lab that you are signed in to)
`,
  run: async (args, env, io) => {
    const entries = storedCredentials(env);
    const url = chosen(args, env, entries);
    const stored = entries.get(url);
    if (stored === undefined) {
      io.err(`You are not signed in to ${url}\n`);
      return 1;
    }
    const problem = await revokeStored(url, stored);
    removeCredentials(env, url);
    io.out(`Signed out of ${url}\n`);
    if (problem !== null) {
      const end = stored.tokenExpiresAt ?? 'it is revoked';
      io.err(
        `The token was removed from this machine, but it could not be revoked (${problem}). It works until ${end}; you can revoke it on the Profile page.\n`,
      );
    }
    return 0;
  },
};

function chosen(args: readonly string[], env: Environment, entries: CredentialEntries): string {
  const { positionals } = parseArgs({ args: [...args], options: {}, allowPositionals: true });
  const [address = env.SVC_URL?.trim() ?? '', ...more] = positionals;
  if (more.length > 0) throw new UsageError();
  if (address !== '') return addressIn(address, '');
  const [only, ...others] = entries.keys();
  if (only === undefined) throw new UnusableSetting('You are not signed in to any lab');
  if (others.length === 0) return only;
  throw new UnusableSetting(
    `Name one of the labs that you are signed in to: ${[...entries.keys()].join(', ')}`,
  );
}
