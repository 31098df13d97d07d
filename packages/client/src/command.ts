export { type CommandIo, commandIo, runCommand } from './command/run.ts';
export { reportName, saveReport, saveReportIn } from './report.ts';
