// Import rules. Each row describes a room: its folder, the rooms, third-party packages and modules of Node that it may
// import. `'any'` allows all of them; `never` then forbids single names.

const rooms = [
  { name: 'contract', at: 'packages/contract', rooms: [], npm: ['typebox'], node: [] },
  {
    name: 'auth-core',
    at: 'packages/auth-core',
    rooms: ['contract'],
    npm: ['jose'],
    // `zlib` for its CRC-32, the checksum of a token.
    node: ['crypto', 'zlib'],
  },
  {
    name: 'module',
    at: 'packages/module',
    rooms: ['contract', 'auth-core'],
    npm: ['lru-cache'],
    node: ['stream'],
  },
  {
    name: 'settings',
    at: 'packages/settings',
    rooms: ['contract', 'auth-core'],
    npm: [],
    // The hash of the logo, which is part of its address.
    node: ['crypto'],
  },
  {
    name: 'outbound',
    at: 'packages/outbound',
    // The client's proxy uses it too, so it has no third-party dependencies.
    subpaths: ['forward'],
    rooms: [],
    npm: ['undici', 'ipaddr.js'],
    // `tls` for a connection through a proxy.
    node: ['dns', 'dns/promises', 'http', 'https', 'net', 'stream', 'tls'],
  },
  {
    name: 'device-lab',
    at: 'packages/device-lab',
    rooms: ['contract', 'auth-core', 'module', 'settings'],
    // The types of `ws`, for the connections of events.
    npm: ['ws'],
    // `net` for the connections to the adb server and usbmuxd, `child_process` for go-ios, `dgram` and `net` for the
    // ports of drivers, `http` and `https` for the WebDriverAgent of an Apple phone, `path` for the folders of its builds.
    node: ['child_process', 'crypto', 'dgram', 'http', 'https', 'net', 'path'],
  },
  {
    name: 'store-sqlite',
    at: 'packages/store-sqlite',
    rooms: ['contract', 'auth-core', 'accounts', 'device-lab', 'nodes', 'webhooks'],
    npm: ['kysely', 'better-sqlite3', 'lru-cache'],
    // `crypto` for the hashes of the audit trail.
    node: ['crypto', 'fs', 'path', 'url'],
  },
  {
    name: 'data-folder',
    at: 'packages/data-folder',
    rooms: ['contract', 'auth-core', 'device-lab', 'store-sqlite'],
    npm: [],
    // `net` for the type of the server that a lock announces.
    node: ['crypto', 'fs', 'fs/promises', 'net', 'path', 'stream', 'timers/promises'],
  },
  {
    name: 'webdriver-gate',
    at: 'packages/webdriver-gate',
    rooms: ['contract', 'auth-core', 'module', 'device-lab', 'nodes', 'outbound'],
    npm: ['undici'],
    node: ['http', 'net', 'stream', 'crypto'],
  },
  {
    name: 'recordings',
    at: 'packages/recordings',
    rooms: ['contract', 'auth-core', 'module', 'settings', 'device-lab', 'nodes', 'previews'],
    npm: [],
    // `zlib` for its CRC-32, the checksum of a record.
    node: ['crypto', 'fs', 'fs/promises', 'path', 'stream', 'zlib'],
  },
  {
    name: 'previews',
    at: 'packages/previews',
    rooms: ['contract', 'auth-core', 'module', 'settings', 'device-lab', 'nodes', 'outbound'],
    npm: ['ws'],
    // `net` for the services of adb that a developer uses from elsewhere, `child_process` for the log of an Apple phone.
    node: ['child_process', 'http', 'https', 'net'],
  },
  {
    name: 'webhooks',
    at: 'packages/webhooks',
    rooms: ['contract', 'auth-core', 'module', 'device-lab', 'outbound'],
    npm: [],
    node: ['crypto', 'http', 'https', 'net'],
  },
  {
    name: 'nodes',
    at: 'packages/nodes',
    rooms: ['contract', 'auth-core', 'module', 'settings', 'device-lab', 'outbound'],
    npm: ['undici'],
    // `tls` to check the certificate of a node.
    node: ['crypto', 'http', 'tls'],
  },
  {
    name: 'telemetry',
    at: 'packages/telemetry',
    rooms: ['contract', 'auth-core', 'module', 'settings', 'outbound', 'webdriver-gate'],
    npm: [
      '@opentelemetry/api',
      '@opentelemetry/core',
      '@opentelemetry/otlp-transformer',
      '@opentelemetry/resources',
      '@opentelemetry/sdk-metrics',
      '@opentelemetry/sdk-trace',
      'prom-client',
      'undici',
    ],
    node: ['crypto', 'http', 'os'],
  },
  {
    name: 'accounts',
    at: 'packages/accounts',
    // The API imports each way to sign in when it is first used.
    subpaths: ['oidc', 'passkeys', 'scim', 'workloads'],
    rooms: ['contract', 'auth-core', 'module', 'settings', 'outbound'],
    npm: ['jose', 'openid-client', '@simplewebauthn/server', 'nodemailer', 'ipaddr.js'],
    // `fs` for the list of common passwords, `net` to recognise IPv6 addresses.
    node: ['crypto', 'fs', 'net'],
  },
  {
    name: 'mcp',
    at: 'packages/mcp',
    // `serve` imports the MCP library. The API loads it for the first message of an agent.
    subpaths: ['serve'],
    rooms: ['contract', 'auth-core', 'module', 'device-lab', 'webdriver-gate'],
    npm: ['@modelcontextprotocol/server'],
    node: ['crypto', 'http'],
  },
  {
    name: 'client',
    at: 'packages/client',
    // Only programs use these subpaths. The rule `client-core-is-browser-safe` keeps modules of Node out of all others.
    subpaths: ['command', 'proxy', 'selenium'],
    rooms: ['contract', 'outbound'],
    npm: ['selenium-webdriver', 'ws'],
    node: [
      'child_process',
      'crypto',
      'events',
      'fs',
      'fs/promises',
      'http',
      'https',
      'net',
      'os',
      'path',
      'readline',
      'readline/promises',
      'stream',
      'stream/promises',
      'stream/web',
      'timers/promises',
      'util',
      'zlib',
    ],
  },
  {
    name: 'api',
    at: 'apps/api',
    // These subpaths do not load the services. They are for programs on the server's host, and for the first lines of a
    // program.
    subpaths: ['host', 'process'],
    rooms: [
      'contract',
      'auth-core',
      'module',
      'settings',
      'device-lab',
      'store-sqlite',
      'data-folder',
      'outbound',
      'recordings',
      'webdriver-gate',
      'previews',
      'webhooks',
      'nodes',
      'accounts',
      'telemetry',
      'mcp',
    ],
    npm: 'any',
    never: ['appium', 'express'],
    node: 'any',
  },
  {
    name: 'cli',
    at: 'apps/cli',
    // The program `svc`, which the `bin` of the plugin runs.
    subpaths: ['main'],
    rooms: [
      'api',
      'accounts',
      'contract',
      'auth-core',
      'module',
      'settings',
      'device-lab',
      'store-sqlite',
      'data-folder',
      'outbound',
      'webdriver-gate',
      'nodes',
      'client',
    ],
    npm: ['commander'],
    node: 'any',
  },
  {
    name: 'entrance',
    at: 'apps/entrance',
    // It has no database, so it uses no store and no service of the API.
    rooms: [
      'api',
      'contract',
      'auth-core',
      'module',
      'settings',
      'device-lab',
      'outbound',
      'webdriver-gate',
      'nodes',
      'telemetry',
    ],
    npm: [],
    node: ['http', 'stream', 'timers/promises'],
  },
  {
    name: 'appium-plugin',
    package: 'appium-svc-plugin',
    at: 'apps/appium-plugin',
    // The lab passes its devices to the plugin through this subpath.
    subpaths: ['local-lab'],
    rooms: ['api', 'cli', 'webdriver-gate', 'device-lab', 'settings', 'module', 'auth-core', 'contract'],
    npm: ['appium', 'express'],
    node: 'any',
  },
  {
    name: 'dashboard',
    at: 'apps/dashboard',
    rooms: ['contract', 'client'],
    npm: ['preact', '@preact/signals', '@simplewebauthn/browser', '@tanstack/virtual-core', 'virtual:routes'],
    node: [],
  },
  {
    name: 'docs',
    at: 'apps/docs',
    rooms: [],
    npm: ['markdown-it', 'minisearch', 'vite'],
    node: ['fs', 'path'],
  },
  {
    name: 'lab',
    at: 'apps/lab',
    // The virtual and the scripted phones, for tests without the lab's process.
    subpaths: ['virtual-phones', 'phones'],
    rooms: ['appium-plugin', 'api', 'client', 'device-lab', 'previews', 'auth-core', 'settings', 'contract'],
    npm: ['appium', '@appium/fake-driver', 'jpeg-js', 'webdriverio'],
    node: 'any',
  },
];

const escapeRegExp = (text) => text.replace(/[.*+?^${}()|[\]\\/]/g, '\\$&');
const packageOf = (room) => room.package ?? `@svc/${room.name}`;
const byName = new Map(rooms.map((room) => [room.name, room]));

// An import of a room is resolved to its public entry, or to its name if the room is not built.
const publicEntry = (name) => {
  const room = byName.get(name);
  const subpaths = room.subpaths ?? [];
  return [
    ...['index', ...subpaths].map((file) => `^${escapeRegExp(room.at)}/dist/${file}\\.`),
    ...['', ...subpaths.map((path) => `/${path}`)].map(
      (path) => `^${escapeRegExp(packageOf(room))}${path}(?:\\.js)?$`,
    ),
  ];
};
const npmPackage = (name) => [
  `(^|/)node_modules/${escapeRegExp(name)}/`,
  `(^|/)node_modules/@types/${escapeRegExp(name)}/`,
  `^${escapeRegExp(name)}(/|$)`,
];

const testingFolder =
  'packages/(auth-core|device-lab|nodes|store-sqlite|webdriver-gate|webhooks)/src/testing/';
const source = (room) => `^${escapeRegExp(room.at)}/src/`;
const ownSource = rooms.map(source);
const anyRoom = rooms.flatMap((room) => [
  `^${escapeRegExp(room.at)}/`,
  `^${escapeRegExp(packageOf(room))}(/|$)`,
]);
const entries = rooms.flatMap((room) => publicEntry(room.name));

function roomRules(room) {
  const from = { path: source(room), pathNot: `^${testingFolder}` };
  const rules = [
    {
      name: `${room.name}-rooms`,
      comment: `${room.name} may use only these rooms: ${room.rooms.join(', ') || 'none'}.`,
      severity: 'error',
      from,
      to: { path: anyRoom, pathNot: [source(room), ...room.rooms.flatMap(publicEntry)] },
    },
  ];
  if (room.npm !== 'any') {
    rules.push({
      name: `${room.name}-npm`,
      comment: `${room.name} may use only these third-party packages: ${room.npm.join(', ') || 'none'}.`,
      severity: 'error',
      from,
      to: {
        dependencyTypesNot: ['core', 'local', 'localmodule', 'aliased', 'aliased-workspace'],
        pathNot: [...anyRoom, ...room.npm.flatMap(npmPackage)],
      },
    });
  }
  if (room.never) {
    rules.push({
      name: `${room.name}-never`,
      comment: `${room.name} may never use: ${room.never.join(', ')}.`,
      severity: 'error',
      from,
      to: { path: room.never.flatMap(npmPackage) },
    });
  }
  if (room.node !== 'any') {
    rules.push({
      name: `${room.name}-node`,
      comment: `${room.name} may use only these modules of Node: ${room.node.join(', ') || 'none'}.`,
      severity: 'error',
      from,
      to: { dependencyTypes: ['core'], pathNot: room.node.map((name) => `^(node:)?${escapeRegExp(name)}$`) },
    });
  }
  return rules;
}

module.exports = {
  forbidden: [
    ...rooms.flatMap(roomRules),
    {
      name: 'every-room-is-listed',
      comment: 'A new package or app needs a row in the table above.',
      severity: 'error',
      from: { path: '^(packages|apps)/[^/]+/src/', pathNot: ownSource },
      to: {},
    },
    {
      name: 'client-core-is-browser-safe',
      comment:
        'Pages use the client too, so its core must not import modules of Node, and at run time only itself and the contract.',
      severity: 'error',
      from: {
        path: '^packages/client/src/',
        pathNot: '^packages/client/src/(selenium\\.ts$|report\\.ts$|(command|proxy)(/|\\.ts$))',
      },
      to: {
        pathNot: [
          '^packages/client/src/(?!selenium\\.ts$|report\\.ts$|(command|proxy)(/|\\.ts$))',
          ...publicEntry('contract'),
        ],
        // Type imports have no code, and pages never call functions that import a module of Node at run time.
        dependencyTypesNot: ['type-only', 'dynamic-import'],
      },
    },
    {
      name: 'only-types-in-a-page',
      comment:
        'Pages import other rooms as types only, so that schemas and their readers are not sent to the browser.',
      severity: 'error',
      from: { path: '^apps/dashboard/src/' },
      to: { path: [...publicEntry('contract'), ...publicEntry('client')], dependencyTypesNot: ['type-only'] },
    },
    {
      name: 'no-page-uses-another',
      comment: 'Code that several pages need belongs into ui, shell, api or live.',
      severity: 'error',
      from: { path: '^apps/dashboard/src/pages/([^/]+)/' },
      to: { path: '^apps/dashboard/src/pages/', pathNot: '^apps/dashboard/src/pages/$1/' },
    },
    {
      name: 'recordings-storage-alone',
      comment:
        'The files of recordings know nothing of the lab but its contract, so that a program can read them without it.',
      severity: 'error',
      from: { path: '^packages/recordings/src/storage/' },
      to: { path: anyRoom, pathNot: ['^packages/recordings/src/storage/', ...publicEntry('contract')] },
    },
    {
      name: 'no-cycle',
      comment: 'No module may reach itself through its imports.',
      severity: 'error',
      from: {},
      to: { circular: true },
    },
    {
      name: 'no-folder-circle',
      comment: 'The folders of a package import in one direction.',
      severity: 'error',
      scope: 'folder',
      from: { path: '^(packages|apps)/[^/]+/src/' },
      to: { circular: true },
    },
    {
      name: 'no-deep-import',
      comment: 'Other packages may be imported through their `exports` only.',
      severity: 'error',
      from: { path: '^([^/]+/[^/]+)/' },
      to: {
        path: anyRoom,
        pathNot: [
          '^$1/',
          ...entries,
          '^packages/(?:auth-core|device-lab|nodes|store-sqlite|webdriver-gate|webhooks)/dist/testing/index\\.',
          '^@svc/(?:auth-core|device-lab|nodes|store-sqlite|webdriver-gate|webhooks)/testing$',
          // This module is not part of the entry, so that a host program can load it on demand.
          '^apps/api/dist/server/app\\.(?:d\\.ts|js)$',
          // Tests run the sample programs that pages show.
          '^apps/dashboard/src/pages/profile/snippets\\.ts$',
          '^apps/dashboard/src/api/webdriverio-test\\.ts$',
          // The documentation's build compresses its files as the dashboard's does.
          '^apps/dashboard/vite/compressed\\.ts$',
          // A test speaks adb's protocol with `svc adb`, with the same reader.
          '^packages/client/src/command/adb/protocol\\.ts$',
        ],
      },
    },
    {
      name: 'no-testing-in-shipped',
      comment: 'Shipped code must not import test code.',
      severity: 'error',
      from: { path: '^(packages|apps)/[^/]+/src/', pathNot: `^${testingFolder}` },
      to: {
        path: [
          `^${testingFolder}`,
          '^packages/[^/]+/dist/testing/',
          '^@svc/[^/]+/testing',
          '^tests/',
          '^bench/',
          '^(packages|apps)/[^/]+/test/',
          '^@svc/(tests|bench)',
        ],
      },
    },
    {
      name: 'no-dev-dependency-in-shipped',
      comment: 'Shipped code declares its dependencies; only types may come from a dev dependency.',
      severity: 'error',
      // The pages are excluded because their builds bundle all dependencies.
      from: {
        path: '^(packages|apps)/[^/]+/src/',
        pathNot: [`^${testingFolder}`, '^apps/(dashboard|docs)/'],
      },
      to: {
        dependencyTypes: ['npm-dev'],
        dependencyTypesNot: ['type-only', 'npm-peer'],
        pathNot: 'node_modules/@types/',
      },
    },
    {
      name: 'telemetry-is-loaded-when-asked-for',
      comment:
        'Only loadTelemetry imports OpenTelemetry, so that it is not loaded without SVC_METRICS_ENDPOINT.',
      severity: 'error',
      from: {
        path: '^(packages|apps)/[^/]+/src/',
        pathNot: '^packages/telemetry/src/(?!(?:index|load|metric|metrics/[a-z-]+)\\.ts$)',
      },
      to: {
        path: ['^packages/telemetry/src/(?!(?:index|load|metric|metrics/[a-z-]+)\\.ts$)', '@opentelemetry/'],
        dynamic: false,
        dependencyTypesNot: ['type-only'],
      },
    },
    {
      name: 'testing-stays-small',
      comment:
        'Test doubles import only their own package, those of the core and the lab, the contract, node:crypto and test tools. The stores in memory import what the stores do.',
      severity: 'error',
      from: { path: `^${testingFolder}`, pathNot: '^packages/store-sqlite/' },
      to: {
        pathNot: [
          '^packages/$1/src/',
          ...publicEntry('contract'),
          ...publicEntry('auth-core'),
          ...publicEntry('module'),
          '^packages/(auth-core|device-lab)/dist/testing/index\\.',
          ...['vitest', 'fast-check', 'jose'].flatMap(npmPackage),
          '^(node:)?crypto$',
        ],
      },
    },
    {
      name: 'no-unresolvable',
      comment: 'Every import must be resolvable. Packages of this workspace may not be built yet.',
      severity: 'error',
      from: {},
      to: {
        couldNotResolve: true,
        pathNot: [
          '^@svc/[^/]+(/testing|/main\\.js|/demo\\.js|/host\\.js|/process\\.js|/proxy|/selenium|/forward|/virtual-phones|/phones)?$',
          '^appium-svc-plugin(/local-lab)?$',
          '^virtual:',
        ],
      },
    },
  ],
  options: {
    doNotFollow: { path: ['node_modules', '(^|/)dist/'] },
    exclude: { path: ['^(packages|apps)/[^/]+/dist/.*\\.d\\.ts\\.map$'] },
    tsPreCompilationDeps: true,
    tsConfig: { fileName: 'tsconfig.base.json' },
    enhancedResolveOptions: {
      exportsFields: ['exports'],
      conditionNames: ['import', 'node', 'default', 'types'],
      extensions: ['.ts', '.tsx', '.mts', '.js', '.mjs', '.cjs', '.json', '.d.ts'],
    },
  },
};
