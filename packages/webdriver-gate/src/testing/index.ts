export { ANA, COMMAND_HEADERS, checkingGate, checkingOptions } from './checking-gate.ts';
