/** Verifies tokens of CI jobs and other workloads, which their own issuers sign (contract 10.3). */
export { IssuerKeys } from './workloads/issuer-keys.ts';
