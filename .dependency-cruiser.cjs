// The table of docs/architecture.md, as rules. An arrow that is not allowed here is a wrong cut, not an exception.
const GROUND = [
  '^src/errors\\.ts$',
  '^src/log\\.ts$',
  '^src/breath\\.ts$',
  '^src/timers\\.ts$',
  '^src/json/',
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
      from: { path: '^src/(errors|log|breath|timers)\\.ts$' },
      to: { path: '^src/' },
    },
    mayImport('fair-share', '^src/fair-share/', []),
    mayImport('upkeep', '^src/upkeep/', []),
    mayImport('json', '^src/json/', []),
    {
      name: 'messages',
      severity: 'error',
      from: { path: '^src/messages/' },
      to: { path: '^src/', pathNot: '^src/messages/' },
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
        path: [
          '^src/storage/sql/',
          '^src/agent/agent-loop',
          '^src/config/',
          '^src/(main|create-service)\\.ts$',
        ],
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
        pathNot: ['^src/config/', '^src/main\\.ts$', '^src/create-service\\.ts$', '^src/cli/'],
      },
      to: { path: '^src/config/' },
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
      // The web app is built by a program of its own; LibreOffice is started inside of a box.
      from: {
        path: '^src/',
        pathNot: [PROCESSES, '^src/cli/web-build\\.ts$', '^src/workspace/convert/child/'],
      },
      to: { path: '^(node:)?child_process$', dependencyTypesNot: ['type-only'] },
    },
    onlyIn('sql-only-in-storage-sql', ['kysely', 'pg'], ['^src/storage/sql/']),
    onlyIn(
      'zip-only-where-packages-are-read',
      ['yazl', 'yauzl'],
      ['^src/transfer/', '^src/workspace/artifacts/', '^src/workspace/convert/child/', '^src/skills/'],
    ),
    onlyIn(
      'readers-of-documents-only-in-their-process',
      [
        '@llamaindex/liteparse',
        'mammoth',
        'read-excel-file',
        'fast-xml-parser',
        'word-extractor',
        '@e965/xlsx',
        'unpdf',
      ],
      ['^src/workspace/convert/child/'],
    ),
    onlyIn('cron-only-in-schedules', ['croner'], ['^src/schedules/']),
    onlyIn('mcp-only-in-its-rooms', ['@modelcontextprotocol'], ['^src/mcp/', '^src/http/mcp/']),
    onlyIn('providers-only-in-models', ['@ai-sdk'], ['^src/models/']),
    onlyIn(
      'hono-only-in-http',
      ['hono', '@hono', 'ws'],
      ['^src/http/', '^src/create-service\\.ts$', '^src/main\\.ts$'],
    ),
  ],
  options: {
    parser: 'swc',
    tsPreCompilationDeps: true,
    doNotFollow: { path: 'node_modules' },
    exclude: { path: '^(web|template|bench|test)/' },
    enhancedResolveOptions: {
      extensions: ['.ts', '.js', '.json'],
      exportsFields: ['exports'],
      conditionNames: ['import', 'node', 'default'],
    },
  },
};
