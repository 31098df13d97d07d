// Exports for the first lines of a program. This module imports no package, because an unsupported release of Node.js
// may fail to load packages.
export { endOnClosedPipe } from './runtime/closed-pipe.ts';
export { refuseOldNode } from './runtime/node-version.ts';
