import type { Answer } from '../phone-server.ts';
import type { PhoneScreen } from '../screen/phone-screen.ts';

/** What WebDriverAgent reads from its phone, and does to it. */
export interface AgentPhone {
  readonly udid: string;
  readonly facts: { readonly name: string; readonly osVersion: string };
  readonly size: { readonly width: number; readonly height: number };
  readonly screen: PhoneScreen;
  readonly agent: { readonly typed: string[]; readonly clicks: string[]; readonly actions: string[] };
  isLandscape: boolean;
  clipboard: string;
  showTap(x: number, y: number): void;
}

// biome-ignore lint/suspicious/noExplicitAny: bodies come from the driver, which is not what is tested
type Handler = (phone: AgentPhone, body: any) => Answer;

const ELEMENT_KEY = 'element-6066-11e4-a52e-4f735466cecf';

const ELEMENTS = [
  { id: 'field', type: 'XCUIElementTypeTextField', rect: { x: 20, y: 100, width: 350, height: 40 } },
  { id: 'ok', type: 'XCUIElementTypeButton', rect: { x: 20, y: 200, width: 350, height: 40 } },
] as const;

const value = (content: unknown = null): Answer => ({ value: content });

function source({ facts, agent }: AgentPhone): string {
  const elements = ELEMENTS.map(({ id, type, rect: { x, y, width, height } }) => {
    const text = id === 'field' ? agent.typed.join('') : 'OK';
    return `<${type} type="${type}" name="${id}" value="${text}" x="${x}" y="${y}" width="${width}" height="${height}"/>`;
  });
  const app = 'XCUIElementTypeApplication';
  return `<?xml version="1.0" encoding="UTF-8"?><${app} type="${app}" name="${facts.name}">${elements.join('')}</${app}>`;
}

const matching = ({ using, value: wanted }: { using?: string; value?: string }) =>
  ELEMENTS.filter(({ id, type }) => (using === 'class name' ? type === wanted : id === wanted));

const screenshot: Handler = ({ screen }) => value(screen.picture('png').toString('base64'));

const COMMANDS: Readonly<Record<string, Handler>> = {
  'GET /source': (phone) => value(source(phone)),
  'GET /screenshot': screenshot,
  'GET /window/size': ({ size }) => value(size),
  'GET /window/rect': ({ size }) => value({ x: 0, y: 0, ...size }),
  'GET /orientation': ({ isLandscape }) => value(isLandscape ? 'LANDSCAPE' : 'PORTRAIT'),
  'POST /orientation': (phone, { orientation }) => {
    phone.isLandscape = orientation === 'LANDSCAPE';
    phone.screen.changed();
    return value();
  },
  'GET /wda/screen': ({ size }) =>
    value({ statusBarSize: { width: size.width, height: 47 }, scale: 3, screenSize: size }),
  'GET /wda/device/info': ({ udid, facts }) =>
    value({
      name: facts.name,
      uuid: udid,
      model: 'iPhone',
      timeZone: 'UTC',
      currentLocale: 'en_US',
      isSimulator: false,
    }),
  'POST /wda/setPasteboard': (phone, { content }) => {
    phone.clipboard = Buffer.from(String(content ?? ''), 'base64').toString();
    return value();
  },
  'POST /wda/getPasteboard': ({ clipboard }) => value(Buffer.from(clipboard).toString('base64')),
  'POST /wda/keys': (phone, body) => typed(phone, body),
  'POST /element': (_phone, body) => {
    const [found] = matching(body);
    if (found !== undefined) return value({ [ELEMENT_KEY]: found.id, ELEMENT: found.id });
    return { error: 'no such element', message: 'unable to find an element' };
  },
  'POST /elements': (_phone, body) =>
    value(matching(body).map(({ id }) => ({ [ELEMENT_KEY]: id, ELEMENT: id }))),
  'GET /element/active': () => value({ [ELEMENT_KEY]: 'field', ELEMENT: 'field' }),
  'GET /alert/text': () => ({ error: 'no such alert', message: 'no alert is open' }),
};

/** @returns the answer to a command, named by its method and its path after the session id */
export function answerOf(phone: AgentPhone, command: string, body: unknown): Answer {
  const known = COMMANDS[command];
  if (known !== undefined) return known(phone, body);
  const [, id = '', what = ''] = /^\w+ \/element\/([^/]+)\/(.*)$/.exec(command) ?? [];
  return id === '' ? acted(phone, body) : ofElement(phone, body, id, what);
}

function ofElement(phone: AgentPhone, body: unknown, id: string, what: string): Answer {
  const element = ELEMENTS.find((each) => each.id === id);
  if (element === undefined) return { error: 'stale element reference', message: id };
  const { x, y, width, height } = element.rect;
  if (what === 'value') return typed(phone, body);
  if (what === 'rect') return value(element.rect);
  if (what === 'text') return value(id === 'field' ? phone.agent.typed.join('') : 'OK');
  if (what === 'name') return value(element.type);
  if (what !== 'click') return value();
  phone.agent.clicks.push(id);
  phone.showTap(x + width / 2, y + height / 2);
  return value();
}

function typed(phone: AgentPhone, body: unknown): Answer {
  const { text, value: keys } = body as { readonly text?: string; readonly value?: readonly string[] };
  phone.agent.typed.push(text ?? keys?.join('') ?? '');
  phone.screen.changed();
  return value();
}

/** Gestures and settings succeed. A point of the body is shown as a tap. */
function acted(phone: AgentPhone, body: unknown): Answer {
  const {
    actions = [],
    x,
    y,
  } = body as {
    readonly actions?: readonly {
      readonly actions?: readonly { readonly x?: number; readonly y?: number }[];
    }[];
    readonly x?: number;
    readonly y?: number;
  };
  phone.agent.actions.push(JSON.stringify(body));
  const moves = actions.flatMap((each) => each.actions ?? []).filter((each) => each.x !== undefined);
  const point = moves.at(-1) ?? { x, y };
  if (point.x !== undefined && point.y !== undefined) phone.showTap(point.x, point.y);
  return value();
}
