import { expect, it } from 'vitest';
import { startAppium } from '../support/appium.ts';
import { request } from '../support/lab.ts';

/** A preload that records requests before any other handler, especially before Express. */
const LOOK = `
  static async updateServer(app) {
    require('node:diagnostics_channel').subscribe('http.server.request.start', ({ request, response }) => {
      const asExpressHasThem = Object.getPrototypeOf(request) === app.request
        && Object.getPrototypeOf(response) === app.response;
      log.info(request.url + ' made for Express: ' + asExpressHasThem);
    });
  }
`;

it.each(['svc,look', 'look,svc'])(
  'requests and answers are made as Express has them, loaded as %s (spec 5.7)',
  async (order) => {
    const appium = await startAppium({ plugins: order.split(','), own: { look: LOOK } });
    expect((await request(`${appium.url}/status`)).status).toBe(200);
    expect(await appium.line(/\/status made for Express/)).toContain('made for Express: true');
    await appium.stop();
  },
);
