/** Sign-in through an OpenID Connect provider (contract 10.1). */
export {};
