import { mountPage } from '../../shell/mount-page.tsx';
import { AppsPage } from './apps-page.tsx';

mountPage({ page: 'apps', needs: 'any', Content: AppsPage });
