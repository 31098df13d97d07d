/** Registration and verification of passkeys (contract 10.2). */
export { ceremonies } from './passkeys/ceremonies.ts';
