import { scopeList } from '@svc/auth-core';
import { instant } from '@svc/module';
import { printRows, type Terminal, terminalLog } from '../terminal.ts';
import { printJson } from './accounts.ts';
import { type AdminOptions, withBreakGlass } from './break-glass.ts';

/**
 * Runs `svc admin tokens`, which prints one line per token with id, kind, owner, scopes, last use, expiry
 * and name. It never prints a secret.
 */
export function listTokens(
  email: string | undefined,
  options: AdminOptions,
  terminal: Terminal,
): Promise<number> {
  return withBreakGlass(options, terminal, `there is no account ${email}`, async (breakGlass) => {
    const tokens = breakGlass.apiTokens(email).map((token) => ({
      ...{ id: token.id, kind: token.kind, name: token.name, owner: token.owner },
      scopes: scopeList(token.scopes),
      createdAt: instant(token.createdAt),
      lastUsedAt: instant(token.lastUsedAt),
      expiresAt: instant(token.expiresAt),
    }));
    if (options.json) printJson(tokens, terminal);
    else
      printRows(
        ['ID', 'KIND', 'OWNER', 'SCOPES', 'LAST USE', 'EXPIRES', 'NAME'],
        tokens.map(({ id, kind, owner, scopes, lastUsedAt, expiresAt, name }) => {
          const times = [lastUsedAt ?? 'never used', expiresAt ?? 'never expires'];
          return [id, kind, owner, scopes.join(','), ...times, name];
        }),
        terminal,
      );
    await terminal.drained?.();
    return 0;
  });
}

/**
 * Runs `svc admin revoke`. Bearer tokens that were issued with the revoked token stay valid until they expire
 * (specification 5.3.3).
 */
export function revokeToken(id: string, options: AdminOptions, terminal: Terminal): Promise<number> {
  return withBreakGlass(
    options,
    terminal,
    'there is no key or token with this id. `svc admin tokens` lists them',
    (breakGlass) => {
      const { name } = breakGlass.revoke(id);
      terminalLog(terminal).info(
        `${name} is revoked. Bearer tokens that were issued for it stay valid until they expire, unless its owner is deactivated.`,
      );
      return 0;
    },
  );
}
