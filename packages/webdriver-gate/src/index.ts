export * from './admission.ts';
export * from './forward.ts';
export * from './gate.ts';
export * from './observer.ts';
export { type GateOrigin, peerOf } from './request-origin.ts';
export * from './responses.ts';
export * from './target.ts';
export { refuseUpgrade } from './upgrade-socket.ts';
