import type { IncomingMessage, ServerResponse } from 'node:http';
import type { DriverSessions } from '@svc/device-lab';
import { authorizedAs, type Upstream } from './forward.ts';

/**
 * Follows creates and commands through this server. Each is begun once it is let through, and puts its own place in the
 * trace into the request's headers, for whoever is behind this server. Nothing is begun for what is refused: strangers
 * leave no trace.
 */
export interface RequestTracing {
  /** `from`: names the create in `created`. `began`: when it arrived, by `performance.now()`. */
  create(req: IncomingMessage, res: ServerResponse, from: object, began: number): void;
  /** The create made this session. */
  created(from: object, sessionId: string): void;
  /** `route`: the path with nothing of the request in it that varies. */
  command(req: IncomingMessage, res: ServerResponse, sessionId: string, route: string): void;
}

interface TracedOptions {
  readonly tracing: RequestTracing;
  readonly sessions: Pick<DriverSessions, 'ownerOf'>;
  readonly basePath: string;
}

/** `upstream`, with every command of a known session followed. */
export function traced(upstream: Upstream, { tracing, sessions, basePath }: TracedOptions): Upstream {
  return {
    request: (req, res, context) => {
      const passed = authorizedAs(req);
      if (passed?.kind === 'command' && passed.sessionId !== undefined) {
        const { sessionId, url } = passed;
        if (sessions.ownerOf(sessionId) !== undefined)
          tracing.command(req, res, sessionId, routeOf(url.slice(basePath.length)));
      }
      upstream.request(req, res, context);
    },
    upgrade: upstream.upgrade,
  };
}

/** Words that W3C WebDriver and Appium have in the paths of commands. */
const WORDS: ReadonlySet<string> = new Set(
  `accept accessibility_id actions active activity alert app appium async attribute authorize back bidi buttondown
  buttonup cast clear click commands computedlabel computedrole contexts context cookie credential credentials css
  current_activity current_package device dismiss displayed doubleclick element elements enabled equals events execute
  execute_driver extensions file finger_print forward frame fullscreen geolocation get_clipboard handle handles hide_keyboard
  ime install is_keyboard_shown is_locked keyevent keys location lock log logevent longclick maximize minimize moveto
  multi name network_connection new open_notifications orientation parent perform permissions press_keycode print property
  pull_file push_file rect refresh release remove_app rotation screenshot se selected set_clipboard settings shadow shake
  shadow_root size source sync terminate_app text timeouts title touch types unlock url value vendor webauthn window`.split(
    /\s+/,
  ),
);
const MOST_SEGMENTS = 10;
const LONGEST_PATH = 1024;

/**
 * The path of a command with `*` for all that is no word of WebDriver: ids, names, whatever a client put there. `url`
 * begins at `/session/`. Few texts come of it, and nothing anybody sent.
 */
export function routeOf(url: string): string {
  const [path = ''] = url.slice(0, LONGEST_PATH).split('?', 1);
  const segments = path.split('/').slice(3, 3 + MOST_SEGMENTS);
  const words = segments.map((segment) => (segment === '' || WORDS.has(segment) ? segment : '*'));
  return ['/session/*', ...words].join('/');
}
