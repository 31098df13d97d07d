import type { HttpContext } from '../../http/http-context.ts';
import { terminalGrant } from './terminal.ts';
import type { TokenGrant } from './token-grant.ts';
import { jwtBearer, tokenExchange } from './workload-grants.ts';

/** Every OAuth grant of this server. */
const GRANTS: readonly ((context: HttpContext) => TokenGrant)[] = [terminalGrant, tokenExchange, jwtBearer];

/** @returns the grants by their `grant_type`. Without a public address, leaves out the grants that need one. */
export function grantsOf(context: HttpContext, publicUrl: string | null): ReadonlyMap<string, TokenGrant> {
  return new Map(
    GRANTS.map((grant) => grant(context))
      .filter(({ withoutPublicUrl }) => publicUrl !== null || withoutPublicUrl)
      .map((grant) => [grant.type, grant]),
  );
}
