import '../styles/all.css';
import { type ComponentType, render } from 'preact';
import type { PageName, SignedOutPageName } from '../api/addresses.ts';
import type { Role } from '../api/current-caller.ts';
import { leaveWhenSignedOut } from '../api/signed-out.ts';
import { texts } from '../texts/en.ts';
import { Door } from './door.tsx';
import { Shell } from './shell.tsx';

type Page =
  | {
      readonly page: SignedOutPageName;
      /** For people who are not signed in. */
      readonly needs: 'nobody';
      readonly Content: ComponentType;
    }
  | {
      readonly page: PageName;
      /** The least role; `any`: everybody who is signed in. The API decides, the page only does not show. */
      readonly needs: 'any' | Role;
      readonly Content: ComponentType;
    };

/** Fills the page that is open. Called once, by the page's `main.tsx`. */
export function mountPage({ page, needs, Content }: Page): void {
  const root = document.getElementById('page');
  if (root === null) throw new Error('the page has no place to be shown in');
  document.title = `${texts.pages[page]} · ${texts.product}`;
  // A page that comes back out of the browser's memory may show what a sign-out has ended.
  addEventListener('pageshow', ({ persisted }) => persisted && location.reload());
  if (needs === 'nobody') {
    render(
      <Door>
        <Content />
      </Door>,
      root,
    );
    return;
  }
  leaveWhenSignedOut();
  render(<Shell page={page} needs={needs} Content={Content} />, root);
}
