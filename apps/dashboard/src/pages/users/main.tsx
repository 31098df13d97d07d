import { mountPage } from '../../shell/mount-page.tsx';
import { UsersPage } from './users-page.tsx';

mountPage({ page: 'users', needs: 'Admin', Content: UsersPage });
