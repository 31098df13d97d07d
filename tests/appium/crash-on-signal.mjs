// Preloaded into a lab. On SIGUSR2 every driver crashes like one whose device disappeared.
import { createRequire } from 'node:module';
import { pathToFileURL } from 'node:url';

const lab = createRequire(new URL('../package.json', import.meta.url)).resolve('@svc/lab/package.json');
const fake = createRequire(lab).resolve('@appium/fake-driver');
const { BaseDriver } = await import(pathToFileURL(createRequire(fake).resolve('appium/driver')).href);

const drivers = new Set();
const { createSession } = BaseDriver.prototype;
BaseDriver.prototype.createSession = function (...args) {
  drivers.add(this);
  return createSession.apply(this, args);
};
process.on('SIGUSR2', () => {
  for (const driver of drivers) void driver.startUnexpectedShutdown(new Error('The device went away'));
});
