// For the first lines of a program. It imports no package, because an unsupported release of Node.js may fail on those.
export { endOnClosedPipe } from './closed-pipe.ts';
export { refuseOldNode } from './node-version.ts';
