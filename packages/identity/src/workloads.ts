/** Verification of the tokens of trusted workloads (contract 10.3). */
export {};
