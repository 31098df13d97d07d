export { type ProxyIo, processIo, runProxy } from './proxy/run.ts';
export { type ProxyOptions, type RunningProxy, startProxy } from './proxy/server.ts';
