import { mountPage } from '../../shell/mount-page.tsx';
import { Profile } from './profile.tsx';

mountPage({ page: 'profile', needs: 'any', Content: Profile });
