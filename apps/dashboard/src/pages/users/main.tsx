import { mountPage } from '../../shell/mount-page.tsx';
import { texts } from '../../texts/en.ts';
import { PageHeader } from '../../ui/index.ts';

mountPage({ page: 'users', needs: 'Admin', Content: Users });

function Users() {
  return <PageHeader title={texts.pages.users} />;
}
