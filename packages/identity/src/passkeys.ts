/** Registration and verification of passkeys (contract 10.2). */
export {};
