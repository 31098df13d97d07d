import {
  type Access,
  acceptedProof,
  atNode,
  type CredentialProof,
  isPublic,
  PROOF_SCHEMES,
  PROVING_CREDENTIALS,
  type Proof,
  type ProofPart,
  type ProofScheme,
  type ProofSchemeName,
  schemeOfProof,
} from '../index.ts';
import type { JsonSchema } from './schemas.ts';

type Requirement = Readonly<Record<string, readonly []>>;

/**
 * Security schemes of the OpenAPI document: every part of a request that can prove who sends it (specification 5.1,
 * 5.8).
 */
export const SECURITY_SCHEMES: Readonly<Record<string, JsonSchema>> = Object.fromEntries(
  Object.values<ProofScheme>(PROOF_SCHEMES).flatMap(({ parts }) =>
    parts.map((part) => [part.openApiName, schemeOf(part)]),
  ),
);

function schemeOf({ in: place, name, bearer, description }: ProofPart): JsonSchema {
  if (bearer === undefined) return { type: 'apiKey', in: place, name, description };
  return {
    type: 'http',
    scheme: 'bearer',
    ...(bearer === 'opaque' ? {} : { bearerFormat: bearer }),
    description,
  };
}

/** Returns the security requirements of a route for the OpenAPI document. A request has to meet any one of them. */
export function securityOf({ accepts }: Access): readonly Requirement[] {
  return accepts.flatMap(schemeNamesOf).map((name) => {
    const { parts }: ProofScheme = PROOF_SCHEMES[name];
    return Object.fromEntries(parts.map(({ openApiName }) => [openApiName, []]));
  });
}

/**
 * Kinds of credential for routes that accept all of them. The bearer token comes first, because generated clients use
 * the first.
 */
const ANY_CREDENTIAL = PROVING_CREDENTIALS.toSorted(
  (one, other) => Number(other === 'bearer') - Number(one === 'bearer'),
);

function schemeNamesOf(proof: Proof): readonly ProofSchemeName[] {
  if (proof.by !== 'credential') return [schemeOfProof(proof)];
  return (proof.only ?? ANY_CREDENTIAL).filter((kind) => kind !== 'none');
}

/** Describes in words which proofs, role and scope a route requires. */
export function accessText(access: Access): string {
  if (isPublic(access)) return 'Needs no credential.';
  const onNode = atNode(access) === 'hub' ? ' A node accepts the request only from its hub.' : '';
  const proof = acceptedProof(access, 'credential');
  if (proof === undefined) return `Needs a ticket, except while sign-in is off.${onNode}`;
  const { role, scope, fresh } = access;
  const least = [
    ...(role === undefined || role === 'Member'
      ? []
      : [`the role ${role}${role === 'Admin' ? ' or above' : ''}`]),
    ...(scope === undefined ? [] : [`the scope \`${scope}\``]),
  ].join(' and ');
  const recent = fresh ? ', proved with a password, passkey or provider in the last 10 minutes' : '';
  return `Needs ${credentialText(proof)}${recent}${least === '' ? '' : `, ${least}`}.${onNode}`;
}

function credentialText({ only, bearerFromSignIn }: CredentialProof): string {
  if (only === undefined) return 'any credential';
  return `a dashboard sign-in${bearerFromSignIn ? ', or a bearer token minted from one' : ''}`;
}
