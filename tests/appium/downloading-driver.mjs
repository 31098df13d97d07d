// Preloaded into a lab. Its driver downloads apps with Appium's own code, as real drivers do.
import { createRequire } from 'node:module';
import { pathToFileURL } from 'node:url';

const lab = createRequire(new URL('../package.json', import.meta.url)).resolve('@svc/lab/package.json');
const { FakeDriver } = await import(pathToFileURL(createRequire(lab).resolve('@appium/fake-driver')).href);
const { createSession } = FakeDriver.prototype;

FakeDriver.prototype.createSession = function (...args) {
  const { appModel, helpers } = this;
  const { loadApp } = Object.getPrototypeOf(appModel);
  appModel.loadApp = async (app) => {
    // With `fullReset` the driver downloads the same app twice, which no ticket allows.
    if (this.opts.fullReset) await helpers.configureApp(app, ['.xml']);
    await loadApp.call(appModel, await helpers.configureApp(app, ['.xml']));
  };
  return createSession.apply(this, args);
};
