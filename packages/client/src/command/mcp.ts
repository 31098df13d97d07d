import { createInterface } from 'node:readline';
import { parseArgs } from 'node:util';
import { labSettings } from '../environment.ts';
import { SvcError } from '../error.ts';
import { RenewedBearer } from '../renewed-bearer.ts';
import { SvcClient } from '../rest-client.ts';
import { type Command, UsageError } from './command.ts';
import { McpBridge } from './mcp-bridge.ts';

/**
 * MCP scopes to request if `--scopes` is absent. `svc:devices:lock`, the fifth scope, is left out, because agents
 * rarely have to reserve a phone.
 */
const USUAL_SCOPES = ['auto:use', 'svc:devices:read', 'svc:analytics:read', 'svc:recordings'];

export const mcp: Command = {
  usage: `mcp [--scopes <scopes>]

Connects an agent on this machine with the lab: reads MCP messages from standard input, one in a line, sends them to
the MCP server of the lab with a bearer token that is renewed automatically, and writes the responses to standard
output. Agents start this command themselves; see docs/guides/agents.md.

  --scopes <scopes>  MCP scopes of the token, comma-separated (default: those of
                     ${USUAL_SCOPES.join(', ')}
                     that the key pair allows)
`,
  run: async (args, env, io) => {
    const { values, positionals } = parseArgs({
      args: [...args],
      options: { scopes: { type: 'string' } },
      allowPositionals: true,
    });
    if (positionals.length > 0) throw new UsageError();
    const { url, pair } = labSettings(env);
    const client = new SvcClient({ url, credential: pair });
    const issue = tokensOf(
      client,
      values.scopes?.split(',').map((scope) => scope.trim()),
    );
    const bearer = new RenewedBearer({ issue });
    const bridge = new McpBridge({ url, bearer, out: (line) => io.out(`${line}\n`) });
    try {
      // Request the first token now, so that an unreachable lab or a refused key pair is reported immediately and not
      // at the first message.
      await bearer.ready();
      for await (const line of io.lines?.() ?? createInterface({ input: process.stdin })) bridge.take(line);
      return 0;
    } finally {
      await bridge.close();
      bearer.stop();
    }
  },
};

/**
 * @returns a function that requests tokens. If the user gave no scopes, the function requests only those default scopes
 * that the key pair allows.
 */
function tokensOf(client: SvcClient, asked: readonly string[] | undefined) {
  let scopes = asked ?? USUAL_SCOPES;
  return async (): Promise<{ token: string; expiresIn: number }> => {
    for (;;) {
      try {
        return await client.call('issueBearer', { body: { audience: 'svc-mcp', scopes: [...scopes] } });
      } catch (error) {
        const beyond = asked === undefined && error instanceof SvcError ? error.details.scopes : undefined;
        if (!Array.isArray(beyond) || !scopes.some((scope) => beyond.includes(scope))) throw error;
        scopes = scopes.filter((scope) => !beyond.includes(scope));
      }
    }
  };
}
