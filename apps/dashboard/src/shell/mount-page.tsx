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
      /** For signed-out users. */
      readonly needs: 'none';
      readonly Content: ComponentType;
    }
  | {
      readonly page: PageName;
      /**
       * The lowest role that sees the page; `any` means every signed-in user. The API enforces it; the page only hides
       * its content.
       */
      readonly needs: 'any' | Role;
      readonly Content: ComponentType;
    };

/** Renders the page. Called once by the page's `main.tsx`. */
export function mountPage({ page, needs, Content }: Page): void {
  const root = document.getElementById('page');
  if (root === null) throw new Error('the document has no element with the id page');
  document.title = `${texts.pages[page]} · ${texts.product}`;
  // A page restored from the back-forward cache may show data that a sign-out should hide.
  addEventListener('pageshow', ({ persisted }) => persisted && location.reload());
  if (needs === 'none') {
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
