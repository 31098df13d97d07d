import { mountPage } from '../../shell/mount-page.tsx';
import { DevicePage } from './device-page.tsx';
import { DevicesList } from './devices-list.tsx';
import './devices.css';

/** Shows the list of phones, or one phone if the address contains `?udid=`. */
function Content() {
  const udid = new URLSearchParams(location.search).get('udid');
  return udid === null || udid === '' ? <DevicesList /> : <DevicePage udid={udid} />;
}

mountPage({ page: 'devices', needs: 'any', Content });
