// Preloaded into a lab. Makes the plugin's entry throw while it is imported.
import { register } from 'node:module';

const hooks = `
  export async function load(url, context, next) {
    if (url.includes('/appium-plugin/dist/index.js')) throw new Error('broken on purpose');
    return next(url, context);
  }
`;
register(`data:text/javascript,${encodeURIComponent(hooks)}`);
