// Who may import whom; docs/architecture.md draws it. An arrow that is not allowed here is a wrong cut, not an exception.
const GROUND = [
  '^src/errors\\.ts$',
  '^src/log\\.ts$',
  '^src/at-most\\.ts$',
  '^src/breath\\.ts$',
  '^src/recent-values\\.ts$',
  '^src/text-slices\\.ts$',
  '^src/timers\\.ts$',
  '^src/unless-aborted\\.ts$',
  '^src/utf8-prefix\\.ts$',
  '^src/uuid-v7\\.ts$',
  '^src/json/',
  '^src/disk/',
  '^src/messages/',
  '^src/fair-share/',
  '^src/upkeep/',
];
/** Starts processes, and knows nothing of what they are for. */
const PROCESSES = '^src/processes/';
/** Judges addresses. */
const NETWORK = '^src/network/';
const RESOURCES = ['workspace', 'skills', 'mcp', 'memory', 'agents'];

/** Files under `from` may import, of ours, only `allowed` and what lies in their own folder. */
function mayImport(name, from, allowed) {
  return {
    name,
    severity: 'error',
    from: { path: from },
    to: { path: '^src/', pathNot: [from, ...GROUND, ...allowed] },
  };
}

/** The package may be imported only by files under `folders`. */
function onlyIn(name, packages, folders) {
  return {
    name,
    severity: 'error',
    from: { path: '^src/', pathNot: folders },
    to: { path: packages.map((it) => `node_modules/${it}(/|$)`) },
  };
}

/**
 * The folders of the web app, lowest layer first, each with those that it may import. All of these stand above it here, so
 * that no circle can be written down. The files in `web/src` itself are the app: they import all, and nobody imports them.
 */
const WEB_LAYERS = {
  // Ground: controls, printing, the calls of the API, and texts and differences as people read them.
  ui: '',
  print: '',
  theme: '',
  api: '',
  diff: 'ui print',
  markdown: 'ui print',
  // What lives as long as the page, and who is signed in.
  services: 'api',
  auth: 'ui theme api services',
  // The list of chats, and the model of one chat: messages, runs and streams, and nothing that is drawn.
  threads: 'ui api services',
  conversation: 'api services threads',
  // Pages, and what they lend to a chat.
  files: 'ui api markdown services conversation',
  'tool-servers': 'ui api diff services auth',
  skills: 'ui api diff markdown services auth conversation files',
  agents: 'ui api services auth skills',
  settings: 'ui api services auth threads agents',
  keys: 'ui api services auth settings',
  usage: 'ui api services settings',
  memory: 'ui api services threads agents',
  schedules: 'ui api services auth threads agents',
  // The parts of a chat, and the chat.
  changes: 'ui api diff services conversation files',
  'tool-cards': 'ui print api diff markdown services conversation files tool-servers changes',
  questions: 'ui api diff services conversation files tool-cards',
  composer: 'ui api services threads conversation files skills agents usage tool-cards',
  turns: 'ui print api markdown services threads conversation files usage changes tool-cards questions',
  chat: 'ui print markdown services auth threads conversation files usage changes questions composer turns',
};
/** The folders of `src/runs`, in the same way. Its own files, `.`, put them together; only tasks, which are runs, stand above. */
const RUN_LAYERS = {
  log: '',
  budget: 'log',
  request: 'log',
  record: 'log request',
  execution: 'log budget request record',
  admission: 'request record execution',
  reading: 'log request',
  service: 'log budget request record execution admission reading',
  tasks: 'request service',
  '.': 'log budget request record execution admission reading service tasks',
};

/** The folders of `src/storage/sql`: the database, what is written with every record, and one folder for each aggregate. */
const SQL_LAYERS = {
  database: '',
  migrations: 'database',
  audit: 'database',
  // The record of a thread, from the ground: the tree of checkpoints, the search index, the messages.
  checkpoints: 'database',
  search: 'database',
  messages: 'database checkpoints search',
  // Runs: what they say, the runs themselves, and the transaction that takes what all of them report.
  log: 'database',
  runs: 'database search messages log',
  commits: 'database search messages log runs',
  schedules: 'database',
  threads: 'database audit checkpoints search messages runs schedules',
  // What is people's beside threads, and people.
  personal: 'database',
  transfer: 'database audit checkpoints search messages runs threads personal',
  accounts: 'database audit messages runs commits threads',
  projections: 'database search messages runs',
};

/** The folders of `src/http`: from the socket up to the routes. */
const HTTP_LAYERS = {
  transport: '',
  api: 'transport',
  access: 'transport api',
  streams: 'transport api',
  files: 'transport api',
  document: 'api access',
  middleware: 'transport api access',
  presenters: 'api access',
  runs: 'transport api streams presenters',
  'thread-protocol': 'transport api streams runs',
  websocket: 'transport api access streams runs thread-protocol',
  mcp: 'transport api streams presenters runs',
  routes: 'api access streams files document presenters runs thread-protocol websocket',
};

/** Rules that hold the folders below `root` to their layers. */
function layersOf(root, layers) {
  const names = Object.keys(layers);
  const pathOf = (name) => (name === '.' ? `^${root}/[^/]+$` : `^${root}/${name}/`);
  const area = root.replace('src/', '').replaceAll('/', '-').replace('web-src', 'web');
  const rules = names.map((name, index) => {
    const allowed = layers[name].split(' ').filter((it) => it !== '');
    const wrong = allowed.filter((it) => !names.slice(0, index).includes(it));
    if (wrong.length > 0) throw new Error(`${root}/${name} may only import layers below it, not ${wrong}.`);
    return {
      name: `${area}-${name === '.' ? 'itself' : name}`,
      severity: 'error',
      from: { path: pathOf(name) },
      to: { path: `^${root}/`, pathNot: [name, ...allowed].map(pathOf) },
    };
  });
  return [
    ...rules,
    {
      name: `${area}-folders-have-a-layer`,
      severity: 'error',
      from: { path: `^${root}/[^/]+/`, pathNot: names.map(pathOf) },
      to: {},
    },
  ];
}

module.exports = {
  forbidden: [
    { name: 'no-circles', severity: 'error', from: {}, to: { circular: true } },
    {
      name: 'not-to-tests',
      severity: 'error',
      from: { path: '^src/' },
      to: { path: '^(test|bench|web|template)/' },
    },
    {
      name: 'ground-has-no-arrows',
      severity: 'error',
      from: {
        path: '^src/(at-most|errors|log|breath|recent-values|text-slices|timers|unless-aborted|utf8-prefix|uuid-v7)\\.ts$',
      },
      to: { path: '^src/' },
    },
    mayImport('fair-share', '^src/fair-share/', []),
    mayImport('upkeep', '^src/upkeep/', []),
    mayImport('json', '^src/json/', []),
    mayImport('disk', '^src/disk/', []),
    {
      name: 'messages',
      severity: 'error',
      from: { path: '^src/messages/' },
      to: { path: '^src/', pathNot: '^src/(messages/|text-slices\\.ts$)' },
    },
    mayImport('storage-port', '^src/storage/[^/]+\\.ts$', []),
    mayImport('storage-sql', '^src/storage/', []),
    mayImport('models', '^src/models/', [NETWORK]),
    mayImport('processes', PROCESSES, []),
    mayImport('network', NETWORK, []),
    ...RESOURCES.map((name) =>
      mayImport(name, `^src/${name}/`, [
        '^src/storage/[^/]+\\.ts$',
        PROCESSES,
        NETWORK,
        // The folders of users lie in its data home; it knows none of the others.
        ...(name === 'workspace' ? [] : ['^src/workspace/']),
      ]),
    ),
    mayImport('tools', '^src/tools/', [
      PROCESSES,
      NETWORK,
      '^src/models/model\\.ts$',
      ...RESOURCES.map((name) => `^src/${name}/`),
    ]),
    mayImport('agent', '^src/agent/', [
      '^src/models/model\\.ts$',
      '^src/tools/',
      ...RESOURCES.map((name) => `^src/${name}/`),
    ]),
    mayImport('threads', '^src/threads/', ['^src/storage/[^/]+\\.ts$', '^src/workspace/']),
    mayImport('transfer', '^src/transfer/', ['^src/storage/[^/]+\\.ts$', '^src/workspace/']),
    mayImport('store', '^src/store/', ['^src/storage/[^/]+\\.ts$', '^src/workspace/']),
    mayImport('webhooks', '^src/webhooks/', ['^src/storage/[^/]+\\.ts$', NETWORK]),
    mayImport('schedules', '^src/schedules/', ['^src/storage/[^/]+\\.ts$']),
    mayImport('auth', '^src/auth/', ['^src/storage/[^/]+\\.ts$']),
    mayImport('runs', '^src/runs/', ['^src/agent/', '^src/storage/[^/]+\\.ts$']),
    {
      name: 'http-not-below-services',
      severity: 'error',
      from: { path: '^src/http/' },
      to: {
        path: ['^src/storage/sql/', '^src/agent/agent-loop', '^src/config/', '^src/main\\.ts$'],
      },
    },
    {
      name: 'http-types-of-models-only',
      severity: 'error',
      from: { path: '^src/http/' },
      to: { path: '^src/models/', dependencyTypesNot: ['type-only'] },
    },
    {
      name: 'nobody-imports-config',
      severity: 'error',
      from: {
        path: '^src/',
        pathNot: ['^src/config/', '^src/main\\.ts$', '^src/service/', '^src/cli/'],
      },
      to: { path: '^src/config/' },
    },
    {
      name: 'nobody-imports-the-composition',
      severity: 'error',
      from: { path: '^src/', pathNot: ['^src/service/', '^src/main\\.ts$', '^src/cli/'] },
      to: { path: '^src/service/' },
    },
    {
      name: 'config-composes-schemas',
      severity: 'error',
      from: { path: '^src/config/' },
      to: { path: '^src/', pathNot: ['^src/config/', ...GROUND, '-options\\.ts$'] },
    },
    {
      name: 'processes-are-started-in-one-place',
      severity: 'error',
      // The builds are made by a program of their own; LibreOffice is started inside of a box.
      from: {
        path: '^src/',
        pathNot: [PROCESSES, '^src/cli/builds\\.ts$', '^src/workspace/convert/child/'],
      },
      to: { path: '^(node:)?child_process$', dependencyTypesNot: ['type-only'] },
    },
    ...layersOf('web/src', WEB_LAYERS),
    ...layersOf('src/runs', RUN_LAYERS),
    ...layersOf('src/storage/sql', SQL_LAYERS),
    ...layersOf('src/http', HTTP_LAYERS),
    {
      name: 'web-not-to-the-service',
      severity: 'error',
      from: { path: '^web/src/' },
      to: { path: '^src/' },
    },
    {
      name: 'web-sdk-only-in-conversation',
      severity: 'error',
      from: { path: '^web/src/', pathNot: '^web/src/conversation/' },
      to: { path: 'node_modules/@langchain/' },
    },
    onlyIn('sql-only-in-storage-sql', ['kysely', 'pg'], ['^src/storage/sql/']),
    onlyIn(
      'zip-only-where-packages-are-read',
      ['yazl', 'yauzl'],
      ['^src/transfer/', '^src/workspace/artifacts/', '^src/workspace/convert/child/', '^src/skills/'],
    ),
    onlyIn(
      'readers-of-documents-only-in-their-process',
      ['@llamaindex/liteparse', 'mammoth', 'fast-xml-parser', 'word-extractor', '@e965/xlsx', 'unpdf'],
      ['^src/workspace/convert/child/'],
    ),
    onlyIn('cron-only-in-schedules', ['croner'], ['^src/schedules/']),
    onlyIn('mcp-only-where-it-is-spoken', ['@modelcontextprotocol'], ['^src/mcp/', '^src/http/mcp/']),
    onlyIn('providers-only-in-models', ['@ai-sdk'], ['^src/models/']),
    onlyIn('hono-only-in-http', ['hono', '@hono', 'ws'], ['^src/http/']),
  ],
  options: {
    parser: 'swc',
    tsPreCompilationDeps: true,
    doNotFollow: { path: 'node_modules' },
    exclude: { path: '^(template|bench|test|web/dist)/' },
    enhancedResolveOptions: {
      extensions: ['.ts', '.tsx', '.js', '.json'],
      exportsFields: ['exports'],
      conditionNames: ['import', 'node', 'default'],
    },
  },
};
