export * from './admission.ts';
export * from './answers.ts';
export * from './gate.ts';
export * from './hand-on.ts';
export * from './observer.ts';
export * from './phone-capabilities.ts';
export * from './target.ts';
export { refuseUpgrade } from './upgrade-socket.ts';
