export { nodeSuite } from './node-suite.ts';
