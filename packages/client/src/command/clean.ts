import { parseArgs } from 'node:util';
import { fromEnv } from '../environment.ts';
import { SvcError } from '../error.ts';
import { type Command, plainText, UsageError } from './command.ts';

export const clean: Command = {
  usage: `clean --dry-run <udid>

Shows what a cleaning would remove from a phone now, and why. It changes nothing. It needs an Admin's key with the scope
admin. The lab cleans phones on its own between two holders (SVC_CLEAN).
`,
  run: async (args, env, io) => {
    const { values, positionals } = parseArgs({
      args: [...args],
      options: { 'dry-run': { type: 'boolean' } },
      allowPositionals: true,
    });
    const [udid = '', ...more] = positionals;
    if (udid === '' || more.length > 0 || values['dry-run'] !== true) throw new UsageError();
    const { items, since } = await fromEnv({}, env)
      .call('getCleaningPlan', { params: { udid } })
      .catch((error: unknown) => {
        if (!(error instanceof SvcError) || error.status !== 404) throw error;
        throw new Error(`the lab has no phone ${udid} that it cleans`);
      });
    if (since === null) io.out('The phone is clean: no one has used it since the last cleaning.\n');
    else if (items.length === 0) io.out(`Nothing would be removed: nothing has changed since ${since}.\n`);
    for (const { name, why } of items) io.out(`${plainText(name)}  ${plainText(why)}\n`);
    return 0;
  },
};
