import '../styles/all.css';
import { type ComponentType, render } from 'preact';
import type { PageName, SignedOutPageName } from '../api/addresses.ts';
import { brand } from '../api/brand.ts';
import type { Role } from '../api/current-caller.ts';
import { askForProofWith } from '../api/fresh-sign-in.ts';
import { leaveWhenSignedOut } from '../api/signed-out.ts';
import { texts } from '../texts/en.ts';
import { Shell } from './shell.tsx';
import { SingleTask } from './single-task.tsx';

type Page =
  | {
      readonly page: SignedOutPageName;
      /** Marks a page for signed-out users, which needs no account. */
      readonly needs: 'none';
      readonly Content: ComponentType;
    }
  | {
      readonly page: PageName;
      /**
       * Lowest role that sees the page, or `any` for every signed-in user. The page only hides its content from others;
       * the API enforces the access.
       */
      readonly needs: 'any' | Role;
      readonly Content: ComponentType;
    };

/** Renders the page into the document. Each page's `main.tsx` calls this function once. */
export function mountPage({ page, needs, Content }: Page): void {
  const root = document.getElementById('page');
  if (root === null) throw new Error('the document has no element with the id page');
  document.title = `${texts.pages[page]} · ${brand.value.name}`;
  // The page is reloaded if the browser restores it from its back-forward cache, because the cached page may show data
  // of a user who has signed out.
  addEventListener('pageshow', ({ persisted }) => persisted && location.reload());
  if (needs === 'none') {
    render(
      <SingleTask>
        <Content />
      </SingleTask>,
      root,
    );
    return;
  }
  leaveWhenSignedOut();
  askForProofWith(async () => (await import('./prove-again.tsx')).proveAgain());
  render(<Shell page={page} needs={needs} Content={Content} />, root);
}
