export { connectionHeaders, endToEnd, pairs } from './forward/headers.ts';
export { headOf, isWebSocketUpgrade, joinSockets } from './forward/tunnel.ts';
export { maskOptions } from './forward/web-socket-mask.ts';
