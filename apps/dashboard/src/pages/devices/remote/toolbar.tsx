import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import { apiAddress } from '../../../api/addresses.ts';
import { texts } from '../../../texts/en.ts';
import { Icon, IconButton, type IconName, LinkButton } from '../../../ui/index.ts';
import type { Act } from './act.ts';
import { type Direction, swipeTo } from './gestures.ts';
import { InstallApp } from './install-app.tsx';
import { OpenAddress } from './open-address.tsx';
import type { PhoneKey } from './phone-keys.ts';
import type { RemotePhone } from './remote-phone.ts';
import { fileName, saveScreenshot } from './save-screenshot.ts';

interface ToolbarProps {
  phone: RemotePhone;
  udid: string;
  name: string;
  act: Act;
}

interface MoreToolsProps extends Omit<ToolbarProps, 'name' | 'udid'> {
  /**
   * Installs an app of the library, for which the session must be started again. Undefined if the page neither started
   * the session nor took it over.
   */
  onInstall: ((app: string) => Promise<void>) | undefined;
}

const KEYS = [
  ['home', 'home'],
  ['back', 'back'],
  ['enter', 'enter'],
  ['backspace', 'erase'],
  ['volumeUp', 'louder'],
  ['volumeDown', 'quieter'],
  ['power', 'power'],
] as const satisfies readonly (readonly [PhoneKey, IconName])[];
const DIRECTIONS = [
  ['up', 'up'],
  ['down', 'swipeDown'],
  ['left', 'left'],
  ['right', 'right'],
] as const satisfies readonly (readonly [Direction, IconName])[];

/** Address at which the browser downloads a picture of the phone's preview. */
function screenshotAddress(udid: string): string {
  return apiAddress(`/control/${encodeURIComponent(udid)}/screenshot`);
}

/** Offers all inputs as buttons and fields, so that nothing needs a mouse. */
export function Toolbar({ phone, udid, name, act }: ToolbarProps) {
  const words = texts.remote;
  const { keys, swipes, problems } = words;
  const press = (key: (typeof KEYS)[number][0]) =>
    void act(() => phone.press(key), words.pressed(keys[key]), problems.noSuchKey);
  const swipe = (direction: Direction) => void act(() => phone.swipe(swipeTo(direction)), words.swiped);
  return (
    <div class="remote-tools">
      <Buttons label={keys.title}>
        {KEYS.map(([key, icon]) => (
          <IconButton key={key} icon={icon} label={keys[key]} onClick={() => press(key)} />
        ))}
      </Buttons>
      <Buttons label={swipes.title}>
        {DIRECTIONS.map(([direction, icon]) => (
          <IconButton
            key={direction}
            icon={icon}
            label={swipes[direction]}
            onClick={() => swipe(direction)}
          />
        ))}
      </Buttons>
      <Buttons label={words.screenActions}>
        {phone.isDirect ? (
          <LinkButton
            href={screenshotAddress(udid)}
            download={fileName(name, new Date())}
            label={words.screenshot}
          >
            <Icon name="camera" />
          </LinkButton>
        ) : (
          <>
            <IconButton
              icon="rotate"
              label={words.rotate}
              onClick={() => void act(() => phone.rotate(), words.rotated)}
            />
            <IconButton
              icon="camera"
              label={words.screenshot}
              onClick={() => void act(async () => saveScreenshot(name, await phone.picture()), words.saved)}
            />
          </>
        )}
      </Buttons>
    </div>
  );
}

/** Offers the inputs that are needed less often, in parts that are closed until the user opens them. */
export function MoreTools({ phone, act, onInstall }: MoreToolsProps) {
  const { url, install } = texts.remote;
  // The apps are loaded when the user opens this part, so that the list includes apps that were uploaded in the
  // meantime.
  const [installs, setInstalls] = useState(false);
  return (
    <>
      <details>
        <summary>{url.title}</summary>
        <OpenAddress phone={phone} act={act} />
      </details>
      {onInstall !== undefined && (
        <details onToggle={({ currentTarget }) => setInstalls(currentTarget.open)}>
          <summary>{install.title}</summary>
          {installs && <InstallApp onInstall={onInstall} />}
        </details>
      )}
    </>
  );
}

function Buttons({ label, children }: { label: string; children: ComponentChildren }) {
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset is for fields of a form
    <div class="segments" role="group" aria-label={label}>
      {children}
    </div>
  );
}
