export * from './memory-nodes.ts';
export { nodeSuite } from './node-suite.ts';
