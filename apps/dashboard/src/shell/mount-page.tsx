import '../styles/all.css';
import { type ComponentType, render } from 'preact';
import { isSignedOutPage, type PageName, type SignedOutPageName } from '../api/addresses.ts';
import { brand } from '../api/brand.ts';
import { askForProofWith } from '../api/fresh-sign-in.ts';
import { leaveWhenSignedOut } from '../api/signed-out.ts';
import { texts } from '../texts/en.ts';
import { Shell } from './shell.tsx';
import { SingleTask } from './single-task.tsx';

/** Renders the page into the document. The document of each page calls this function once (`vite/page.html`). */
export function mountPage(page: PageName | SignedOutPageName, Content: ComponentType): void {
  const root = document.getElementById('page');
  if (root === null) throw new Error('the document has no element with the id page');
  document.title = `${texts.pages[page]} · ${brand.value.name}`;
  // The page is reloaded if the browser restores it from its back-forward cache, because the cached page may show data
  // of a user who has signed out.
  addEventListener('pageshow', ({ persisted }) => persisted && location.reload());
  if (isSignedOutPage(page)) {
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
  render(<Shell page={page} Content={Content} />, root);
}
