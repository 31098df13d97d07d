// A BiDi client in a process of its own, so that a test can kill it. Prints each message that it receives.
import WebSocket from 'ws';

const [url, headers] = process.argv.slice(2);
const socket = new WebSocket(url, { headers: JSON.parse(headers) });
socket.on('open', () => socket.send(JSON.stringify({ id: 1, method: 'session.status', params: {} })));
socket.on('message', (data) => console.log(`received ${data}`));
