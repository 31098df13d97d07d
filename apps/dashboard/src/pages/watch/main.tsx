import { mountPage } from '../../shell/mount-page.tsx';
import { WatchPage } from './watch-page.tsx';

// Removed from the address, so that the secret is in no history and on no screen that is shared.
const secret = location.hash.slice(1);
history.replaceState(null, '', location.pathname);
mountPage({ page: 'watch', needs: 'none', Content: () => <WatchPage secret={secret} /> });
