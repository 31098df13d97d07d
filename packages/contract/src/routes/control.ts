import { DEVICES } from '../access.ts';
import { defineRoute } from '../define-route.ts';
import { Type, UdidParams } from './common.ts';

/** 0: left or top; 1: right or bottom. */
const ScreenPart = Type.Number({ minimum: 0, maximum: 1 });

/** What is done to one device from outside its test (contract 2, specification 4). */
export const controlRoutes = {
  typeText: defineRoute({
    method: 'POST',
    path: '/control/:udid/text',
    access: { ...DEVICES, orHub: 'text' },
    summary: 'Type into the field that has the focus, through the session on the device',
    params: UdidParams,
    body: Type.Object({ text: Type.String({ minLength: 1, maxLength: 4_096 }) }),
    responses: { 204: null },
    errors: ['device_not_yours', 'driver_failed'],
    sensitive: true,
  }),
  tap: defineRoute({
    method: 'POST',
    path: '/control/:udid/tap',
    access: { ...DEVICES, orHub: 'tap' },
    operationId: 'tapScreen',
    summary: 'Tap a place on the screen, as parts of its width and height, by its session',
    params: UdidParams,
    body: Type.Object({ x: ScreenPart, y: ScreenPart }),
    responses: { 204: null },
    errors: ['device_not_yours', 'driver_failed'],
  }),
  setClipboard: defineRoute({
    method: 'POST',
    path: '/control/:udid/clipboard',
    access: { ...DEVICES, orHub: 'clipboard' },
    summary: 'Replace the text in the clipboard, through the session on the device',
    params: UdidParams,
    body: Type.Object({ content: Type.String({ maxLength: 65_536 }) }),
    responses: { 204: null },
    errors: ['device_not_yours', 'driver_failed'],
    sensitive: true,
  }),
};
