export { connectionHeaders, endToEnd, pairs } from './headers.ts';
export { headOf, joinSockets } from './tunnel.ts';
