/** SCIM 2.0, over which an identity provider deactivates the accounts of people who leave (contract 10.5). */
export { ScimServer } from './scim/scim-server.ts';
