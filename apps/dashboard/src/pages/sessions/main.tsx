import { mountPage } from '../../shell/mount-page.tsx';
import { texts } from '../../texts/en.ts';
import { PageHeader } from '../../ui/index.ts';

mountPage({ page: 'sessions', needs: 'any', Content: Sessions });

function Sessions() {
  return <PageHeader title={texts.pages.sessions} />;
}
