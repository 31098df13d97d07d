import type { RequestOrigin, TokenSigner } from '@svc/auth-core';
import {
  type Caller,
  credentialOfKind,
  effectiveScopes,
  expand,
  holds,
  intersect,
  isLiveRule,
  missing,
  NO_SCOPES,
  origin,
  Refusal,
  type RuleOrigin,
  ruleClaims,
  type ScopeSet,
  scopeList,
  scopeSet,
  secretHash,
  withBearerGroup,
} from '@svc/auth-core';
import { isScope, type Scope } from '@svc/contract';
import { oneLine } from '@svc/module';
import type { AccountTools } from '../ports/tools.ts';
import type { TrustClaim, TrustRule } from '../ports/trust-rules.ts';
import { OAuthRefusal } from '../rules/oauth-refusal.ts';
import { runAddress } from './run-address.ts';
import type { WorkloadKeys } from './workload-keys.ts';
import { runOf, subjectOf, suggestedClaims } from './workload-run.ts';
import { readWorkloadToken, ruleFault, timeFault, type WorkloadToken } from './workload-token.ts';

export interface ExchangedToken {
  readonly accessToken: string;
  /** Lifetime in seconds. */
  readonly expiresIn: number;
  readonly scopes: readonly Scope[];
  /** Token for `svc:options.sessionToken`, or null if the scope `sessions` is not granted. */
  readonly sessionToken: string | null;
}

export interface TrustTrial {
  readonly claims: Readonly<Record<string, unknown>>;
  readonly matches: { readonly ruleId: string; readonly matches: boolean; readonly why: string | null }[];
  readonly suggestion?: {
    readonly name: string;
    readonly issuer: string;
    readonly audience: string | null;
    readonly claims: readonly TrustClaim[];
  };
}

interface Tools extends Pick<AccountTools, 'stores' | 'clock' | 'audit'> {
  readonly signer: TokenSigner;
  readonly keys: WorkloadKeys;
  readonly publicUrl: string | null;
}

const LONGEST_REASON = 300;

/**
 * Exchanges the tokens of CI jobs for tokens of this server, if one of the lab's trust rules allows it (contract 10.3).
 */
export class ExchangeToken {
  readonly #tools: Tools;

  constructor(tools: Tools) {
    this.#tools = tools;
  }

  /** @returns whether a trust rule names the issuer of the token. The token is not verified. */
  namesIssuer(text: string): boolean {
    const token = readWorkloadToken(text);
    if (typeof token === 'string') return false;
    return this.#tools.stores.trustRules.list().some(({ issuer }) => issuer === token.issuer);
  }

  /**
   * Exchanges the token of a CI job. Rejects with `OAuthRefusal` if no rule accepts the token; the client gets the same
   * description whatever the reason is. Rejects with `Unavailable` if there is no signing key.
   *
   * @param scope requested scopes, separated by spaces, or undefined for all scopes of the rule
   */
  async exchange(text: string, scope: string | undefined, from: RequestOrigin): Promise<ExchangedToken> {
    const token = readWorkloadToken(text);
    if (typeof token === 'string') throw refused('form', token);
    const rule = await this.#ruleFor(token);
    return await this.#grant(token, rule, scope, from);
  }

  /**
   * Returns for each rule whether it would accept the token, and if not, why. Does not mark the token as used, so it
   * can still be exchanged afterwards.
   */
  async try(_caller: Caller, text: string): Promise<TrustTrial> {
    const { stores, publicUrl } = this.#tools;
    const token = readWorkloadToken(text.trim());
    if (typeof token === 'string') throw new Refusal('bad_request', token, { message: `token: ${token}` });
    const matches = [];
    for (const rule of stores.trustRules.list()) {
      const why = await this.#faultOf(rule, token);
      matches.push({ ruleId: rule.id, matches: why === undefined, why: why ?? null });
    }
    const claims = suggestedClaims(token.claims);
    if (claims.length === 0) return { claims: token.claims, matches };
    const { issuer } = token;
    const name = runOf(token.claims).replace(/, .*$/, '').slice(0, 100) || 'CI';
    return { claims: token.claims, matches, suggestion: { name, issuer, audience: publicUrl, claims } };
  }

  /**
   * @returns the oldest rule that accepts the token. The server requests the keys of an issuer only if a rule names the
   * issuer and matches the claims. A client can therefore not make the server send requests to an address of its
   * choice.
   */
  async #ruleFor(token: WorkloadToken): Promise<TrustRule> {
    const { stores, clock, publicUrl } = this.#tools;
    const now = clock.now();
    const rules = stores.trustRules
      .list()
      .filter(({ issuer }) => issuer === token.issuer)
      .reverse();
    if (rules.length === 0) throw refused('issuer', `no rule names the issuer ${token.issuer}`);
    const late = timeFault(token, now);
    if (late !== undefined) throw refused(`times of ${token.issuer}`, late);
    const faults: string[] = [];
    const fitting = rules.filter((rule) => {
      const fault = ruleFault(rule, token, { publicUrl, now });
      if (fault !== undefined) faults.push(`${rule.id}: ${fault}`);
      return fault === undefined;
    });
    if (fitting.length === 0) throw refused(`claims of ${token.issuer}`, faults.join('; '));
    for (const rule of fitting) if (await this.#isSigned(token, rule)) return rule;
    throw refused(`signature of ${token.issuer}`, 'no key of the issuer verifies the signature');
  }

  async #isSigned({ text, issuer }: WorkloadToken, { jwks }: TrustRule): Promise<boolean> {
    try {
      return await this.#tools.keys.verify(text, issuer, jwks);
    } catch (error) {
      if (!(error instanceof IssuerUnreachable)) throw error;
      const description = 'The keys of the issuer of the token cannot be read now.';
      throw new OAuthRefusal('temporarily_unavailable', description, error.message);
    }
  }

  async #grant(
    token: WorkloadToken,
    rule: TrustRule,
    scope: string | undefined,
    from: RequestOrigin,
  ): Promise<ExchangedToken> {
    const { stores, signer, audit } = this.#tools;
    const id = spentIdOf(token);
    if (stores.replay.isSpent(id)) throw refused(`reuse of ${token.issuer}`, 'the token was used before');
    const scopes = this.#scopesOf(rule, scope);
    const url = runAddress(token.issuer, token.claims);
    const origins = {
      id: rule.id,
      subject: subjectOf(token.claims),
      run: runOf(token.claims),
      ...(url === undefined ? {} : { url }),
    };
    const parents = withBearerGroup([], stores.revocations, rule.ownerId);
    const grant = { ...grantOf(rule, origins), ...(parents.length === 0 ? {} : { parents }) };
    if (signer.lifetimeOf(grant) < 1) throw refused(rule.id, 'the rule has ended');
    const bearer = await signer.mint({ ...grant, aud: 'svc-rest', scopes: scopeList(scopes) });
    const session = holds(scopes, 'sessions')
      ? await signer.mint({
          ...grant,
          aud: 'svc-session',
          scopes: ['sessions'],
          parents: [...parents, bearer.claims.jti],
        })
      : null;
    stores.transaction((tx) => {
      this.#checkOwner(rule);
      if (!tx.replay.spend(id, token.expiresAt))
        throw refused(`reuse of ${token.issuer}`, 'the token was used before');
      tx.trustRules.noteRun(rule.id, {
        at: this.#tools.clock.now(),
        subject: origins.subject,
        run: origins.run,
      });
      audit.record(tx, 'authn_token_created', {
        actor: rule.ownerId,
        target: bearer.claims.jti,
        reason: cut(`trust rule ${rule.id} for ${origins.subject || token.issuer} (${origins.run})`),
        ...origin(from),
      });
    });
    return {
      accessToken: bearer.token,
      expiresIn: bearer.claims.exp - bearer.claims.iat,
      scopes: scopeList(scopes),
      sessionToken: session?.token ?? null,
    };
  }

  /**
   * Throws a refusal if the rule has been deleted or paused, or if its owner is not Active. Both may have changed while
   * the issuer's keys were read.
   */
  #checkOwner(rule: TrustRule): void {
    const { stores } = this.#tools;
    if (!isLiveRule(stores.trustRules, rule.id)) throw refused(rule.id, 'the rule has ended');
    if (stores.accounts.byId(rule.ownerId)?.status !== 'Active')
      throw refused(rule.id, 'the owner of the rule is not active');
  }

  #scopesOf(rule: TrustRule, scope: string | undefined): ScopeSet {
    this.#checkOwner(rule);
    const role = this.#tools.stores.accounts.byId(rule.ownerId)?.role ?? 'Member';
    const held = effectiveScopes(rule.scopes, role);
    if (held === NO_SCOPES) throw refused(rule.id, 'the role of the owner allows no scope of the rule');
    const asked = (scope ?? '').split(' ').filter((name) => name !== '');
    if (asked.length === 0) return held;
    const wanted = scopeSet(asked.filter(isScope));
    if (!asked.every(isScope) || missing(wanted, held) !== NO_SCOPES)
      throw new OAuthRefusal('invalid_scope', 'a requested scope is unknown or beyond the rule');
    return intersect(wanted, expand(held));
  }

  async #faultOf(rule: TrustRule, token: WorkloadToken): Promise<string | undefined> {
    const { stores, clock, keys, publicUrl } = this.#tools;
    const now = clock.now();
    if (rule.issuer !== token.issuer) return `the issuer is ${oneLine(cut(token.issuer))}`;
    const fault = ruleFault(rule, token, { publicUrl, now }) ?? timeFault(token, now);
    if (fault !== undefined) return fault;
    if (!isLiveRule(stores.trustRules, rule.id)) return 'the rule has ended';
    if (stores.accounts.byId(rule.ownerId)?.status !== 'Active') return 'the owner of the rule is not active';
    try {
      if (!(await keys.verify(token.text, token.issuer, rule.jwks)))
        return 'no key of the issuer verifies the signature';
    } catch (error) {
      if (error instanceof IssuerUnreachable) return 'the keys of the issuer cannot be read now';
      throw error;
    }
    return stores.replay.isSpent(spentIdOf(token)) ? 'the token was used before' : undefined;
  }
}

/** Error for an issuer whose keys cannot be read. The response is 503, because the token may be valid. */
export class IssuerUnreachable extends Error {
  constructor(reason: string, options?: ErrorOptions) {
    super(reason, options);
    this.name = 'IssuerUnreachable';
  }
}

/** @returns the account, lifetime and team of the tokens that a trust rule (rule that lets CI jobs sign in) creates */
function grantOf(rule: TrustRule, origins: RuleOrigin) {
  const credential = credentialOfKind('bearer', '', { rule: origins });
  return {
    sub: rule.ownerId,
    lifetime: rule.maxMinutes * 60,
    until: rule.expiresAt,
    ...ruleClaims({ credential }),
    ...(rule.teamId === null ? {} : { team: rule.teamId }),
  };
}

/**
 * @returns the id under which a token is stored as used. The id is a digest of the issuer and `jti`, or of the signed
 * part of a token without `jti`. The signature is left out, because an ECDSA signature has two valid forms, so a client
 * could otherwise use the token twice.
 */
function spentIdOf({ text, issuer, claims }: WorkloadToken): string {
  const { jti } = claims;
  const signed = text.slice(0, text.lastIndexOf('.'));
  const unique = typeof jti === 'string' && jti !== '' ? ['jti', issuer, jti] : ['digest', signed];
  return `workload ${secretHash(JSON.stringify(unique))}`;
}

/**
 * @returns the refusal of a token. Only the audit trail gets the reason.
 * @param group the failed step, with the issuer if a rule names this issuer, or the id of the rule that refused the
 * token. The audit trail combines refusals with the same group
 */
function refused(group: string, reason: string): OAuthRefusal {
  return new OAuthRefusal('invalid_grant', 'The token was not accepted.', oneLine(cut(reason)), group);
}

function cut(text: string): string {
  return text.length > LONGEST_REASON ? `${text.slice(0, LONGEST_REASON)}…` : text;
}
