// Checks that every regular expression of the service and of the web app takes linear time: `npm run expressions`.
import { globSync, readFileSync } from 'node:fs';
import { parseSync } from '@swc/core';
import { check } from 'recheck';

const FOLDERS = ['src', 'web/src'];

/** Files with expressions that are known only while the service runs, and why they do no harm. */
const DYNAMIC: Readonly<Record<string, string>> = {
  'src/mcp/tools/newest-form.ts': 'read to see whether it is one, never run',
  'src/tools/search-tools.ts': 'compiled to tell the model of a mistake, never run',
  'src/workspace/search/search-process.ts': 'run in a process that is killed when it takes too long',
};

/** Expressions that cannot be proved linear, mainly those with lookarounds, are fuzzed with texts evolved to be slow. */
const PROOF_MS = 3_000;
const AT_ONCE = 2;

type Node = Readonly<Record<string, unknown>>;

interface Expression {
  readonly source: string;
  readonly flags: string;
  readonly files: Set<string>;
}

const expressions = new Map<string, Expression>();
const dynamic = new Set<string>();

function isNode(value: unknown): value is Node {
  return typeof value === 'object' && value !== null && 'type' in value;
}

function* nodesOf(value: unknown): Generator<Node> {
  if (typeof value !== 'object' || value === null) return;
  if (isNode(value)) yield value;
  for (const child of Object.values(value)) yield* nodesOf(child);
}

/** The text of an expression, as far as the file alone determines it. */
function constantText(node: unknown, constants: ReadonlyMap<string, unknown>): string | undefined {
  if (!isNode(node)) return undefined;
  switch (node.type) {
    case 'StringLiteral':
      return String(node.value);
    case 'Identifier':
      return constantText(constants.get(String(node.value)), constants);
    case 'TaggedTemplateExpression':
      return templateText(node.template, 'raw', constants);
    case 'TemplateLiteral':
      return templateText(node, 'cooked', constants);
    default:
      return undefined;
  }
}

function templateText(
  node: unknown,
  form: 'raw' | 'cooked',
  constants: ReadonlyMap<string, unknown>,
): string | undefined {
  if (!isNode(node) || !Array.isArray(node.quasis) || !Array.isArray(node.expressions)) return undefined;
  const inserted = node.expressions.map((it) => constantText(it, constants));
  if (inserted.includes(undefined)) return undefined;
  return node.quasis.map((part: Node, index) => `${String(part[form])}${inserted[index] ?? ''}`).join('');
}

function constantsOf(nodes: readonly Node[]): ReadonlyMap<string, unknown> {
  return new Map(
    nodes.flatMap(({ type, id, init }) =>
      type === 'VariableDeclarator' && isNode(id) && id.type === 'Identifier'
        ? [[String(id.value), init]]
        : [],
    ),
  );
}

/** `new RegExp(...)` and `RegExp(...)`. */
function madeExpression(node: Node): readonly unknown[] | undefined {
  const isCall = node.type === 'NewExpression' || node.type === 'CallExpression';
  if (!isCall || !isNode(node.callee) || node.callee.value !== 'RegExp') return undefined;
  const values = Array.isArray(node.arguments) ? node.arguments : [];
  return values.map(({ expression }: { readonly expression: unknown }) => expression);
}

function add(file: string, source: string, flags: string): void {
  const key = `/${source}/${flags}`;
  const known = expressions.get(key) ?? { source, flags, files: new Set() };
  known.files.add(file);
  expressions.set(key, known);
}

function collect(file: string): void {
  const syntax = { syntax: 'typescript', tsx: file.endsWith('x') } as const;
  const nodes = [...nodesOf(parseSync(readFileSync(file, 'utf8'), syntax))];
  const constants = constantsOf(nodes);
  for (const node of nodes) {
    if (node.type === 'RegExpLiteral') add(file, String(node.pattern), String(node.flags));
    const made = madeExpression(node);
    if (made === undefined) continue;
    const [source, flags = ''] = made.map((it) => constantText(it, constants));
    if (source === undefined) dynamic.add(file);
    else add(file, source, flags);
  }
}

/** Without the program of the checker for this platform its slower JavaScript does. */
function backend(): 'native' | 'pure' {
  const platform = { darwin: 'macos', linux: 'linux', win32: 'windows' }[process.platform as string];
  try {
    import.meta.resolve(`recheck-${platform}-${process.arch}/package.json`);
    return 'native';
  } catch {
    return 'pure';
  }
}

/** No limit is one of time where it would change the verdict: a machine that is busy must not find anything. */
async function verdict(source: string, flags: string) {
  const proof = await check(source, flags, { checker: 'automaton', timeout: PROOF_MS });
  if (proof.status !== 'unknown') return proof;
  const unlimited = { timeout: null, incubationTimeout: null, attackTimeout: null };
  return await check(source, flags, { checker: 'fuzz', ...unlimited });
}

async function problemOf([name, { source, flags, files }]: [string, Expression]): Promise<readonly string[]> {
  const found = await verdict(source, flags);
  if (found.status === 'safe') return [];
  const what = found.status === 'vulnerable' ? found.complexity.summary : `not checked (${found.error.kind})`;
  return [`${[...files].join(', ')}: ${name}\n    ${what}`];
}

process.env.RECHECK_BACKEND = backend();
for (const file of FOLDERS.flatMap((folder) => globSync(`${folder}/**/*.{ts,tsx,mjs}`)).sort()) collect(file);
const problems: string[] = [];
const left = expressions.entries();
await Promise.all(
  Array.from({ length: AT_ONCE }, async () => {
    for (const expression of left) problems.push(...(await problemOf(expression)));
  }),
);
for (const file of dynamic) {
  if (!(file in DYNAMIC)) problems.push(`${file}: an expression that is known only at run time`);
}
for (const file of Object.keys(DYNAMIC)) {
  if (!dynamic.has(file)) problems.push(`${file}: has no such expression any more; take it off the list`);
}
for (const problem of problems) console.error(problem);
if (problems.length > 0)
  console.error(`\n${problems.length} regular expressions may take more than linear time.`);
// The checker keeps a process of its own.
process.exit(problems.length > 0 ? 1 : 0);
