export type { CommandIo } from './command/command.ts';
export { COMMANDS, commandIo, runCommand } from './command/run.ts';
export { reportName, saveReport, saveReportIn } from './report.ts';
