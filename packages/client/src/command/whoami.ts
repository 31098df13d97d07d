import { parseArgs } from 'node:util';
import { labSettings } from '../environment.ts';
import { SvcError } from '../error.ts';
import { SvcClient } from '../rest-client.ts';
import { type Command, plainText, UsageError } from './command.ts';

export const whoami: Command = {
  usage: `whoami [<address>]

Shows the lab, the account, its role and the scopes of the token.

  <address>  scheme, host and port of the lab (default: SVC_URL, or the only lab that you are signed in to)
`,
  run: async (args, env, io) => {
    const { positionals } = parseArgs({ args: [...args], options: {}, allowPositionals: true });
    if (positionals.length > 1) throw new UsageError();
    const { url, pair } = labSettings(env, { address: positionals[0] ?? env.SVC_URL });
    const me = await new SvcClient({ url, credential: pair }).me().catch((error: unknown) => {
      if (!(error instanceof SvcError) || error.status !== 401) throw error;
      throw new Error(`${url} does not accept the credentials; sign in with: svc login ${url}`);
    });
    const rows = [
      ['lab', url],
      ['account', `${me.name} <${me.email}>`],
      ['role', me.role],
      ['teams', me.teams.map(({ name }) => name).join(', ') || 'none'],
      ['scopes', me.scopes.join(', ')],
      ['expires', me.expiresAt ?? 'never'],
    ] as const;
    for (const [name, value] of rows) io.out(`${name.padEnd(8)}${plainText(value)}\n`);
    return 0;
  },
};
