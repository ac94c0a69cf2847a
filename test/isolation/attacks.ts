// From a route and its case to requests that try ids of somebody else in every place where an id can be.
import type { JsonObject } from '../../src/messages/message.ts';
import type { Operation } from './operations.ts';

/** Kinds of rows that have an owner. */
type Kind =
  | 'thread'
  | 'run'
  | 'checkpoint'
  | 'message'
  | 'apiKey'
  | 'session'
  | 'feedback'
  | 'skill'
  | 'agent'
  | 'fact'
  | 'schedule'
  | 'task'
  | 'user';
export type Ids = Readonly<Record<Kind, string>>;

/** What is sent beside the path. */
export interface Sent {
  readonly query?: string;
  readonly body?: JsonObject | readonly JsonObject[];
  /** A body that is no JSON but plain text. */
  readonly text?: string;
}

/**
 * How the two answers are compared. `same`: status, headers and body, as are the statements of the database. `status`: of something that
 * is made in both cases, with ids and times of its own. `taken`: the client names what is to be made; a name that somebody
 * else has must look like one that the user has.
 */
type Comparison = 'same' | 'status' | 'taken';

export interface FieldAttack {
  /** The names of the fields that this puts ids into; they count as covered. */
  readonly fields: readonly string[];
  readonly kinds: readonly Kind[];
  readonly sent: (ids: Ids) => Sent;
  readonly compare?: Comparison;
}

export interface Case extends Sent {
  /** A stream that waits for what may be there later: it is opened, and says nothing. */
  readonly isEndless?: true;
  /** Ids in query and body. Those in the path are tried without being mentioned here, with `query` and `body`. */
  readonly attacks?: readonly FieldAttack[];
  /** Fields with an id that is nobody's, and why. */
  readonly nobodys?: Readonly<Record<string, string>>;
}

export type Cases = Readonly<Record<string, Case>>;

export interface Attack {
  readonly name: string;
  readonly operation: Operation;
  /** Which of the ids are somebody else's. */
  readonly kinds: readonly Kind[];
  /** An id of the path is among them: the answer is 404. */
  readonly inPath: boolean;
  readonly isEndless: boolean;
  readonly compare: Comparison;
  readonly path: (ids: Ids) => string;
  readonly sent: (ids: Ids) => Sent;
}

const KIND_OF_PARAM: Readonly<Record<string, Kind>> = {
  thread_id: 'thread',
  run_id: 'run',
  checkpoint_id: 'checkpoint',
  key_id: 'apiKey',
  session_id: 'session',
  feedback_id: 'feedback',
  skill_name: 'skill',
  agent_name: 'agent',
  fact_id: 'fact',
  schedule_id: 'schedule',
  task_id: 'task',
  assistant_id: 'agent',
};

/** In paths: what is the service's own. */
const NOBODYS_PARAMS = new Set(['model_name', 'namespace', 'path', 'filename', 'server', 'version']);

/** Names that hold no id of a row anywhere, and why. */
const NOBODYS_FIELDS: Readonly<Record<string, string>> = {
  assistant_id: 'tried with every run; elsewhere a word that is not looked up',
  graph_id: 'the agents are the service’s own',
  id: 'of a message or a command: looked for in the thread of the path only',
  tool_call_id: 'looked for in the thread of the path only',
  task_id: 'of a call: looked for in the run of the path only',
};

/** All attacks on the routes. Throws for a route without a case, and for an id that its case does not cover. */
export function attacksOn(operations: readonly Operation[], cases: Cases): readonly Attack[] {
  const names = new Set(operations.map(({ name }) => name));
  const stale = Object.keys(cases).filter((name) => !names.has(name));
  if (stale.length > 0) throw new Error(`Cases of routes that do not exist: ${stale.join(', ')}`);
  const bare = operations.filter(({ name }) => cases[name] === undefined);
  if (bare.length > 0) {
    const list = bare.map(({ name }) => name).join(', ');
    throw new Error(`No case in test/isolation/cases.ts, say which ids reach them: ${list}`);
  }
  return operations.flatMap((operation) => attacksOf(operation, cases[operation.name] ?? {}));
}

function attacksOf(operation: Operation, given: Case): readonly Attack[] {
  const { attacks = [], nobodys = {}, isEndless = false, ...sent } = given;
  const covered = new Set([
    ...attacks.flatMap(({ fields }) => fields),
    ...Object.keys(nobodys),
    ...Object.keys(NOBODYS_FIELDS),
  ]);
  const open = operation.fields.filter((field) => !covered.has(field));
  if (open.length > 0) {
    throw new Error(`${operation.name} takes ids that its case does not cover: ${open.join(', ')}`);
  }
  const inPath = operation.params.flatMap((param) => kindOf(operation, param));
  const made = [
    ...someOf(inPath).map((kinds) => attack(operation, { kinds, inPath: true, sent: () => sent })),
    ...attacks.flatMap(({ kinds, compare, sent: put }) =>
      someOf(kinds).map((some) =>
        attack(operation, {
          kinds: some,
          inPath: false,
          sent: put,
          ...(compare !== undefined && { compare }),
        }),
      ),
    ),
  ];
  return made.map((it) => ({ ...it, isEndless }));
}

function kindOf(operation: Operation, param: string): readonly Kind[] {
  const kind = KIND_OF_PARAM[param];
  if (kind !== undefined) return [kind];
  if (NOBODYS_PARAMS.has(param)) return [];
  throw new Error(`${operation.name}: test/isolation/attacks.ts does not know whose {${param}} is.`);
}

/** Each one alone, and all of them together. */
function someOf(kinds: readonly Kind[]): readonly (readonly Kind[])[] {
  const alone = kinds.map((kind) => [kind]);
  return kinds.length > 1 ? [...alone, kinds] : alone;
}

function attack(
  operation: Operation,
  {
    kinds,
    inPath,
    sent,
    compare = 'same',
  }: Pick<Attack, 'kinds' | 'inPath' | 'sent'> & { readonly compare?: Comparison },
): Omit<Attack, 'isEndless'> {
  return {
    name: `${operation.name} with ${kinds.join(' and ')} ${inPath ? 'in the path' : 'in query or body'}`,
    operation,
    kinds,
    inPath,
    compare,
    sent,
    path: (ids) =>
      operation.path.replaceAll(/\{(\w+)\}/g, (_, param: string) => {
        const kind = KIND_OF_PARAM[param];
        return kind === undefined ? 'lead_agent' : ids[kind];
      }),
  };
}
