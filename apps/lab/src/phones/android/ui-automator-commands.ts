import type { Answer } from '../phone-server.ts';
import type { DrivenPhone } from './driven-phone.ts';

// biome-ignore lint/suspicious/noExplicitAny: bodies come from the driver, which is not what is tested
type Handler = (phone: DrivenPhone, body: any) => Answer;

const ELEMENT_KEY = 'element-6066-11e4-a52e-4f735466cecf';

interface ScriptedElement {
  readonly id: string;
  readonly class: string;
  readonly 'resource-id': string;
  readonly 'content-desc': string;
  readonly text: string;
  readonly rect: { readonly x: number; readonly y: number; readonly width: number; readonly height: number };
}

/** @returns the elements that the screen of each scripted phone shows */
function elementsOf({ serial, facts, uiAutomator: { typed } }: DrivenPhone): ScriptedElement[] {
  const element = (id: string, type: string, text: string, y: number, height: number): ScriptedElement => ({
    id,
    class: `android.widget.${type}`,
    'resource-id': `com.example:id/${id}`,
    'content-desc': id,
    text,
    rect: { x: 100, y, width: 880, height },
  });
  return [
    element('title', 'TextView', `${serial}, Android ${facts.release}`, 0, 90),
    element('field', 'EditText', typed.join(''), 100, 100),
    element('ok', 'Button', 'OK', 300, 100),
  ];
}

function matching(phone: DrivenPhone, body: { readonly selector?: string; readonly value?: string }) {
  const wanted = body.selector ?? body.value ?? '';
  return elementsOf(phone).filter(
    (each) =>
      [each.id, each.class, each['resource-id']].includes(wanted) ||
      wanted.includes('*') ||
      wanted.includes(each['resource-id']),
  );
}

function source(phone: DrivenPhone): string {
  const { width, height } = phone.size;
  const elements = elementsOf(phone).map((each, index) => {
    const { x, y } = each.rect;
    const bounds = `[${x},${y}][${x + each.rect.width},${y + each.rect.height}]`;
    const named = `text="${each.text}" resource-id="${each['resource-id']}" content-desc="${each['content-desc']}"`;
    return `<${each.class} index="${index}" class="${each.class}" ${named} enabled="true" displayed="true" bounds="${bounds}" />`;
  });
  return `<?xml version='1.0' encoding='UTF-8' standalone='yes' ?>
<hierarchy index="0" class="hierarchy" rotation="0" width="${width}" height="${height}">
${elements.join('\n')}
</hierarchy>`;
}

const value = (content: unknown = null): Answer => ({ value: content });

const COMMANDS: Readonly<Record<string, Handler>> = {
  'DELETE ': () => value(),
  'GET ': () => value({}),
  'GET /source': (phone) => value(source(phone)),
  'GET /screenshot': (phone) => value(phone.screen.picture('png').toString('base64')),
  'GET /orientation': (phone) => value(phone.isLandscape ? 'LANDSCAPE' : 'PORTRAIT'),
  'POST /orientation': (phone, { orientation }) => {
    phone.rotate(orientation === 'LANDSCAPE');
    return value(orientation);
  },
  'GET /window/current/size': (phone) => value(phone.size),
  'GET /window/rect': (phone) => value({ x: 0, y: 0, ...phone.size }),
  'GET /appium/device/system_bars': () => value({ statusBar: 63 }),
  'GET /appium/device/pixel_ratio': () => value(2.75),
  'GET /appium/device/display_density': () => value(440),
  'GET /appium/device/info': ({ serial, facts }) =>
    value({
      androidId: `id-${serial}`,
      apiVersion: String(facts.apiLevel),
      brand: facts.manufacturer.toLowerCase(),
      manufacturer: facts.manufacturer,
      model: facts.model.replaceAll('_', ' '),
      platformVersion: facts.release,
      realDisplaySize: `${facts.width}x${facts.height}`,
      displayDensity: 440,
      locale: 'en_US',
      timeZone: 'Etc/UTC',
    }),
  'GET /appium/device/battery_info': ({ battery }) => value({ level: battery.level / 100, status: 2 }),
  'POST /appium/device/set_clipboard': (phone, { content }) => {
    phone.clipboard = Buffer.from(String(content ?? ''), 'base64').toString();
    return value();
  },
  'POST /appium/device/get_clipboard': (phone) => value(Buffer.from(phone.clipboard).toString('base64')),
  'POST /element': (phone, body) => {
    const [found] = matching(phone, body);
    if (found !== undefined) return value({ [ELEMENT_KEY]: found.id, ELEMENT: found.id });
    return { error: 'no such element', message: 'An element could not be located on the page.' };
  },
  'POST /elements': (phone, body) =>
    value(matching(phone, body).map(({ id }) => ({ [ELEMENT_KEY]: id, ELEMENT: id }))),
  'GET /element/active': () => value({ [ELEMENT_KEY]: 'field', ELEMENT: 'field' }),
  'POST /keys': (phone, body) => typed(phone, body),
  'POST /actions': (phone, body) => acted(phone, body),
  'GET /alert/text': () => ({ error: 'no such alert', message: 'no alert is open' }),
};

const ELEMENT_COMMANDS: Readonly<
  Record<string, (phone: DrivenPhone, body: unknown, of: ScriptedElement) => Answer>
> = {
  'POST click': (phone, _body, { id, rect }) => {
    phone.uiAutomator.clicks.push(id);
    phone.showTap(rect.x + rect.width / 2, rect.y + rect.height / 2);
    return value();
  },
  'POST value': (phone, body) => typed(phone, body),
  'POST clear': (phone) => {
    phone.uiAutomator.typed.length = 0;
    return value();
  },
  'GET text': (_phone, _body, { text }) => value(text),
  'GET rect': (_phone, _body, { rect }) => value(rect),
  'GET location': (_phone, _body, { rect }) => value(rect),
  'GET size': (_phone, _body, { rect }) => value(rect),
  'GET screenshot': (phone) => value(phone.screen.picture('png').toString('base64')),
};

/** @returns the handler of a command, named by its method and its path after the session id */
export function commandOf(command: string): Handler | undefined {
  const known = COMMANDS[command];
  if (known !== undefined) return known;
  const [, method = '', id = '', what = ''] = /^(\w+) \/element\/([^/]+)\/(.*)$/.exec(command) ?? [];
  if (id !== '') return (phone, body) => ofElement(phone, body, id, `${method} ${what}`);
  // Gestures and settings of the driver have no effect that a scripted phone shows.
  return /^\w+ \/(?:appium|touch|back)/.test(command) ? acted : undefined;
}

function ofElement(phone: DrivenPhone, body: unknown, id: string, command: string): Answer {
  const element = elementsOf(phone).find((each) => each.id === id);
  if (element === undefined) return { error: 'stale element reference', message: id };
  const attribute = /^GET attribute\/(.*)$/.exec(command)?.[1];
  if (attribute !== undefined) {
    const attributes: Record<string, unknown> = {
      displayed: true,
      enabled: true,
      selected: false,
      ...element,
    };
    return value(String(attributes[attribute] ?? null));
  }
  return ELEMENT_COMMANDS[command]?.(phone, body, element) ?? value();
}

function typed(phone: DrivenPhone, body: unknown): Answer {
  const { text, value: keys } = body as { readonly text?: string; readonly value?: readonly string[] };
  phone.uiAutomator.typed.push(text ?? keys?.join('') ?? '');
  phone.screen.changed();
  return value();
}

function acted(phone: DrivenPhone, body: unknown): Answer {
  phone.uiAutomator.actions.push(JSON.stringify(body));
  const { x, y } = pointOf(body) ?? {};
  if (typeof x === 'number' && typeof y === 'number') phone.showTap(x, y);
  return value();
}

/** @returns the last point to which a pointer moves in the body of `POST /actions`, or that of a gesture */
function pointOf(body: unknown): { readonly x?: unknown; readonly y?: unknown } | undefined {
  const { actions, offset } = body as {
    readonly actions?: readonly { readonly actions?: readonly { readonly x?: unknown }[] }[];
    readonly offset?: { readonly x?: unknown };
  };
  const moves = (actions ?? []).flatMap((each) => each.actions ?? []).filter(({ x }) => x !== undefined);
  return moves.at(-1) ?? offset;
}
