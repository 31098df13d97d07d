// For the first lines of a program. It imports no package, because an unsupported release of Node.js may fail on those.
export { endOnClosedPipe } from './runtime/closed-pipe.ts';
export { refuseOldNode } from './runtime/node-version.ts';
