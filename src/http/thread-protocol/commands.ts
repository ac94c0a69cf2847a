// Commands of Agent Protocol v2 on one thread, the same over HTTP and WebSocket.
import { z } from 'zod';
import { stateObject } from '../../messages/bounded-json.ts';
import type { JsonObject } from '../../messages/message.ts';
import { serializedValues } from '../../messages/thread-state.ts';
import type { RunService } from '../../runs/service/run-service.ts';
import type { RunRecord } from '../../storage/runs.ts';
import type { ThreadRecord } from '../../storage/threads.ts';
import type { ThreadStateService } from '../../threads/thread-state-service.ts';
import type { StateAt } from '../../threads/update-state.ts';
import type { AppContext } from '../api/context.ts';
import { findThread, pathParam, requireWrite } from '../api/route-access.ts';
import { validate } from '../api/validate.ts';
import type { RunResponses } from '../runs/run-responses.ts';
import { errorText, ProtocolRefusal, toRefusal } from './protocol-refusal.ts';
import { respondBody, startBody } from './run-commands.ts';

export const commandSchema = z
  .object({
    id: z.int().min(0),
    method: z.string().min(1).max(64),
    params: stateObject.nullish(),
  })
  .meta({ id: 'ProtocolCommand', examples: [{ id: 1, method: 'state.get', params: {} }] });

export type Command = z.output<typeof commandSchema>;

export interface CommandParts {
  readonly runs: RunService;
  readonly responses: Pick<RunResponses, 'start'>;
  readonly threadStates: ThreadStateService;
}

/** Executes a command on the thread of the path. Returns the JSON text of its result. */
type CommandHandler = (parts: CommandParts, c: AppContext, params: JsonObject) => Promise<string>;

const HANDLERS: ReadonlyMap<string, CommandHandler> = new Map([
  ['run.start', startRun],
  ['input.respond', respond],
  ['state.get', getState],
  ['agent.getTree', getTree],
  ['subscription.subscribe', refuseSubscription],
  ['subscription.unsubscribe', refuseSubscription],
  ['subscription.reconnect', refuseSubscription],
]);

/**
 * Executes a command and returns the JSON text of the response. A fault in the command becomes a response
 * too. Any other error is thrown, above all `not_found` for a thread that does not exist or belongs to
 * another user.
 */
export async function respondToCommand(
  parts: CommandParts,
  c: AppContext,
  command: Command,
): Promise<string> {
  try {
    const handler = HANDLERS.get(command.method);
    if (handler === undefined) {
      throw new ProtocolRefusal('unknown_command', `There is no command '${command.method}'.`);
    }
    const result = await handler(parts, c, command.params ?? {});
    return successText(c, command.id, result);
  } catch (error) {
    const refusal = toRefusal(error);
    if (refusal === undefined) throw error;
    return errorText(command.id, refusal);
  }
}

/** Returns a success. Because of `applied_through_seq` 0, clients place the command at its run's start. */
export function successText(c: AppContext, id: number, result: string): string {
  const meta = JSON.stringify({ thread_id: pathParam(c, 'thread_id'), applied_through_seq: 0 });
  return `{"type":"success","id":${id},"result":${result},"meta":${meta}}`;
}

async function startRun(parts: CommandParts, c: AppContext, params: JsonObject): Promise<string> {
  requireWrite(c);
  const thread = await c.var.repositories.threads.get(pathParam(c, 'thread_id'));
  const interrupts = pendingInterrupts(thread && (await parts.threadStates.get(c.var.repositories, thread)));
  const run = await parts.responses.start(c, startBody(params, interrupts));
  return JSON.stringify({ run_id: run.runId });
}

async function respond(parts: CommandParts, c: AppContext, params: JsonObject): Promise<string> {
  requireWrite(c);
  const thread = await threadOf(c);
  const { assistantId } = await latestRun(parts, c, thread);
  const interrupts = pendingInterrupts(await parts.threadStates.get(c.var.repositories, thread));
  if (interrupts.length === 0) {
    throw new ProtocolRefusal(
      'invalid_argument',
      'input.respond can only be used while the run is interrupted and waits for an answer.',
    );
  }
  await parts.responses.start(c, respondBody(params, { interrupts, assistantId }));
  return '{}';
}

const getStateSchema = z.object({
  namespace: z.array(z.string().max(256)).max(32).nullish(),
  keys: z.array(z.string().max(128)).max(256).nullish(),
});

async function getState(parts: CommandParts, c: AppContext, params: JsonObject): Promise<string> {
  const { namespace, keys } = validate(getStateSchema, params, 'body');
  if ((namespace ?? []).length > 0) {
    throw new ProtocolRefusal('no_such_namespace', 'Only the lead agent, namespace [], has a state.');
  }
  const at = await parts.threadStates.get(c.var.repositories, await threadOf(c));
  if (at === undefined) return '{"values":{}}';
  const checkpoint = JSON.stringify({ id: at.checkpoint.checkpointId, ns: '' });
  return `{"values":${valuesText(at, keys ?? undefined)},"checkpoint":${checkpoint}}`;
}

function valuesText({ folded: { state } }: StateAt, keys: readonly string[] | undefined): string {
  if (keys === undefined) return serializedValues(state);
  const values = Object.fromEntries(Object.entries(state.values).filter(([key]) => keys.includes(key)));
  return keys.includes('messages') ? serializedValues({ ...state, values }) : JSON.stringify(values);
}

const getTreeSchema = z.object({ run_id: z.string().max(128).nullish() });

async function getTree(parts: CommandParts, c: AppContext, params: JsonObject): Promise<string> {
  const { run_id: runId } = validate(getTreeSchema, params, 'body');
  const thread = await threadOf(c);
  const run = runId == null ? await latestRun(parts, c, thread) : await runOf(c, thread, runId);
  return JSON.stringify({
    tree: { namespace: [], status: AGENT_STATUS[run.status], graph_name: run.assistantId },
  });
}

async function refuseSubscription(): Promise<string> {
  throw new ProtocolRefusal(
    'not_supported',
    'Subscriptions are for WebSockets. Over HTTP, POST to stream/events of the thread.',
  );
}

function threadOf(c: AppContext): Promise<ThreadRecord> {
  return findThread(c, pathParam(c, 'thread_id'), 'read');
}

async function latestRun({ runs }: CommandParts, c: AppContext, thread: ThreadRecord): Promise<RunRecord> {
  const [run] = await runs.list(c.var.repositories, thread.threadId, { limit: 1, offset: 0 });
  if (run === undefined)
    throw new ProtocolRefusal('no_such_run', 'The thread has no run. Use run.start first.');
  return run;
}

async function runOf(c: AppContext, { threadId }: ThreadRecord, runId: string): Promise<RunRecord> {
  const run = await c.var.repositories.runs.get(runId);
  if (run?.threadId === threadId) return run;
  throw new ProtocolRefusal('no_such_run', 'The thread has no such run.');
}

/** The status of an agent in the protocol. */
const AGENT_STATUS = {
  pending: 'running',
  running: 'running',
  success: 'completed',
  error: 'failed',
  timeout: 'failed',
  interrupted: 'interrupted',
} as const satisfies Record<RunRecord['status'], string>;

const tasksSchema = z.array(
  z.looseObject({ interrupts: z.array(z.looseObject({ id: z.string() })).optional() }),
);

/** Returns the ids of pending interrupts in task order. Empty when the thread waits for no answer. */
function pendingInterrupts(head: StateAt | undefined): readonly string[] {
  const tasks = tasksSchema.safeParse(head?.checkpoint.tasks ?? []);
  if (!tasks.success) return [];
  return tasks.data.flatMap(({ interrupts = [] }) => interrupts.map(({ id }) => id));
}
