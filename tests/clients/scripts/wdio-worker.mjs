// Does with a `wdio.conf.js` what WebdriverIO's launcher and one of its workers do: node wdio-worker.mjs <path>
import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { remote } from 'webdriverio';

const { config } = await import(pathToFileURL(resolve(process.argv[2])).href);

const capabilities = JSON.parse(process.env.SVC_CAPABILITIES);
const [[Service, options]] = config.services;
const started = () => new Service(options, capabilities, config);
await started().onPrepare(config, [capabilities]);

const worker = started();
const { services, ...own } = config;
await worker.beforeSession(own, capabilities, [], '0-0');
const browser = await remote({ ...own, logLevel: 'info', capabilities });
console.log('source:', (await browser.getPageSource()).length);
await worker.after(0, capabilities, []);
await browser.deleteSession();
await worker.afterSession(own, capabilities, []);
