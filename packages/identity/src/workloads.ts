/** Verification of the tokens of trusted workloads (contract 10.3). */
export { IssuerKeys } from './workloads/issuer-keys.ts';
