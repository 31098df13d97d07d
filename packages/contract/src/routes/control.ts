import { alsoAccepting, DEVICES } from '../access.ts';
import { route } from '../define-route.ts';
import { DEVICE_KEYS } from '../device-keys.ts';
import { feature, type RouteTag } from '../feature.ts';
import { Binary, literals, named, namedObject, Type, UdidParams } from './common.ts';

/** Schema of a position on the screen as a fraction of its width or height: 0 is left or top, 1 is right or bottom. */
const ScreenPart = Type.Number({ minimum: 0, maximum: 1 });

const Point = namedObject('ScreenPoint', { x: ScreenPart, y: ScreenPart });

export const CONTROL_TAG: RouteTag = {
  name: 'Control',
  description: 'Previews of a device, and input sent to it outside its test.',
};

/** Routes that send input to a device independently of a test (contract 2, specification 4). */
export const controlRoutes = feature(CONTROL_TAG, {
  typeText: route.post('/control/:udid/text', {
    access: alsoAccepting(DEVICES, { by: 'hub-token', action: 'text' }),
    summary: 'Type text into the focused field',
    params: UdidParams,
    body: Type.Object({ text: Type.String({ minLength: 1, maxLength: 4_096 }) }),
    responses: { 204: null },
    errors: ['device_not_yours', 'unsupported_input', 'driver_failed'],
    sensitive: true,
  }),
  tap: route.post('/control/:udid/tap', {
    access: alsoAccepting(DEVICES, { by: 'hub-token', action: 'tap' }),
    operationId: 'tapScreen',
    summary: 'Tap a point of the screen, given as fractions of its width and height',
    params: UdidParams,
    body: Type.Object({ x: ScreenPart, y: ScreenPart }),
    responses: { 204: null },
    errors: ['device_not_yours', 'unsupported_input', 'driver_failed'],
  }),
  setClipboard: route.post('/control/:udid/clipboard', {
    access: alsoAccepting(DEVICES, { by: 'hub-token', action: 'clipboard' }),
    summary: 'Replace the text of the clipboard',
    params: UdidParams,
    body: Type.Object({ content: Type.String({ maxLength: 65_536 }) }),
    responses: { 204: null },
    errors: ['device_not_yours', 'unsupported_input', 'driver_failed'],
    sensitive: true,
  }),
  swipe: route.post('/control/:udid/swipe', {
    access: alsoAccepting(DEVICES, { by: 'hub-token', action: 'swipe' }),
    operationId: 'swipeScreen',
    summary: 'Move a finger over the screen of a device on which no session runs',
    params: UdidParams,
    body: Type.Object({
      from: Point,
      to: Point,
      durationMs: Type.Integer({ minimum: 1, maximum: 5_000 }),
    }),
    responses: { 204: null },
    errors: ['device_not_yours', 'unsupported_input', 'driver_failed'],
  }),
  pressKey: route.post('/control/:udid/key', {
    access: alsoAccepting(DEVICES, { by: 'hub-token', action: 'key' }),
    summary: 'Press a key of a device on which no session runs',
    params: UdidParams,
    body: Type.Object({ key: named('DeviceKey', literals(DEVICE_KEYS)) }),
    responses: { 204: null },
    errors: ['device_not_yours', 'unsupported_input', 'driver_failed'],
  }),
  takeScreenshot: route.get('/control/:udid/screenshot', {
    access: DEVICES,
    summary: 'One picture of the screen, as PNG or JPEG',
    params: UdidParams,
    responses: { 200: Binary },
    produces: ['image/png', 'image/jpeg'],
    errors: ['no_such_source', 'driver_failed', 'overloaded'],
  }),
});
