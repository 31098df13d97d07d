// What a program on the server's host needs without the services. Importing it is cheap.
export { startHasher } from './hashing/start-hasher.ts';
export { commonPasswords } from './passwords/common-passwords.ts';
export { VERSION } from './resources.ts';
export { processSources } from './settings.ts';
