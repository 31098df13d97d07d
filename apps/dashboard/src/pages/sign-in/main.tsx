import { mountPage } from '../../shell/mount-page.tsx';
import { SignIn } from './sign-in.tsx';

mountPage({ page: 'sign-in', needs: 'none', Content: SignIn });
