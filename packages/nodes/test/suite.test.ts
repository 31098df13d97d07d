import { MemoryNodes, nodeSuite } from '../src/testing/index.ts';

nodeSuite('memory', async () => ({ nodes: new MemoryNodes(), close: () => undefined }));
