import { mountPage } from '../../shell/mount-page.tsx';
import { AccessPage } from './access-page.tsx';

mountPage({ page: 'access', needs: 'Admin', Content: AccessPage });
