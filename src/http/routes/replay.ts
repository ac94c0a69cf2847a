// Prepares a run that replies to the last question again, unchanged or reworded.
import { z } from 'zod';
import { conflict, notFound } from '../../errors.ts';
import type { AiMessage, HumanMessage, Message, MessageContent } from '../../messages/message.ts';
import type { CheckpointRecord } from '../../storage/checkpoints.ts';
import { parsedDelta } from '../../storage/thread-states.ts';
import type { ThreadStateService } from '../../threads/thread-state-service.ts';
import type { StateAt } from '../../threads/update-state.ts';
import type { AppContext } from '../api/context.ts';
import { ok, type RouteTable } from '../api/route-table.ts';

interface ReplayRouteDependencies {
  readonly threadStates: Pick<ThreadStateService, 'get'>;
  readonly newId: () => string;
}

const ID = { examples: ['01993f5a-9c04-7d11-8e6b-2a4c7f9d3b51'] };
const messageId = z.string().min(1).max(256).meta(ID);
const regenerateBody = z.object({ message_id: messageId }).meta({ id: 'RegenerateRequest' });
const editBody = z
  .object({
    human_message_id: messageId,
    replacement_text: z
      .string()
      .max(4_194_304)
      .refine((text) => text.trim() !== '', 'A message has words')
      .meta({ examples: ['And with honey?'] }),
  })
  .meta({ id: 'EditRequest' });

const preparedFields = {
  input: z.object({
    messages: z
      .array(z.looseObject({ id: z.string(), type: z.string() }))
      .meta({ description: 'The question, after the messages that were sent with it' }),
  }),
  checkpoint: z
    .object({ checkpoint_ns: z.string(), checkpoint_id: z.string(), checkpoint_map: z.null() })
    .meta({ description: 'The checkpoint before the question' }),
  metadata: z.record(z.string(), z.string()).meta({ description: 'For the metadata of the new run' }),
  target_run_id: z.string().meta({ description: 'The run whose answer is replaced' }),
};
const preparedBody = z.object(preparedFields).meta({ id: 'PreparedRun' });
const preparedEditBody = z
  .object({
    ...preparedFields,
    replacement_human_message_id: z.string(),
    source_message_ids: z.array(z.string()).meta({ description: 'The messages that are replaced' }),
  })
  .meta({ id: 'PreparedEdit' });

export function replayRoutes(routes: RouteTable, { threadStates, newId }: ReplayRouteDependencies): void {
  routes.post('/api/threads/{thread_id}/runs/regenerate/prepare', {
    ...common,
    operationId: 'prepareRegenerate',
    errors: ['conflict'],
    summary: 'Input and checkpoint for a run that answers the last question again; starts nothing',
    body: { kind: 'json', schema: regenerateBody },
    responses: ok('Send them with a new run', preparedBody),
    handle: async (c, { body }) => {
      const turn = await lastTurn(c, threadStates);
      const asked = turn.said.find(({ id }) => id === body.message_id);
      if (asked === undefined) throw notFound('Message');
      if (asked !== turn.reply) throw conflict('Only the last answer of a thread can be given again.');
      return c.json(await prepared(c, turn, turn.question));
    },
  });
  routes.post('/api/threads/{thread_id}/runs/edit-regenerate/prepare', {
    ...common,
    operationId: 'prepareEdit',
    errors: ['conflict'],
    summary: 'Input and checkpoint for a run with an edited last question; starts nothing',
    body: { kind: 'json', schema: editBody },
    responses: ok('Send them with a new run', preparedEditBody),
    handle: async (c, { body }) => {
      const turn = await lastTurn(c, threadStates);
      const { question, said } = turn;
      if (!said.some(({ id }) => id === body.human_message_id)) throw notFound('Message');
      if (question.id !== body.human_message_id)
        throw conflict('Only the last question of a thread can be edited.');
      const id = newId();
      const content = inOtherWords(question, body.replacement_text.trim());
      const run = await prepared(c, turn, { ...question, id, content });
      return c.json({
        ...run,
        metadata: { ...run.metadata, edit_from_message_id: question.id, edit_message_id: id },
        replacement_human_message_id: id,
        source_message_ids: said.slice(said.indexOf(question)).map((message) => message.id),
      });
    },
  });
}

const common = { access: 'read', thread: 'read' } as const;

interface Turn {
  readonly head: CheckpointRecord;
  readonly said: readonly Message[];
  readonly question: HumanMessage;
  /** The agent's last message after the question. */
  readonly reply: AiMessage;
}

/** Returns the last question with its reply. Throws `conflict` if there is none. */
async function lastTurn(c: AppContext, threadStates: Pick<ThreadStateService, 'get'>): Promise<Turn> {
  const { repositories, thread } = c.var;
  if (thread.status === 'busy') throw conflict('A run is active on this thread. Wait for it, or cancel it.');
  const at: StateAt | undefined = await threadStates.get(repositories, thread);
  const said = at?.folded.state.messages ?? [];
  const question = said.findLast((message) => message.type === 'human');
  const reply = said.findLast((message) => message.type === 'ai');
  if (at === undefined || question === undefined || reply === undefined)
    throw conflict('The thread has no reply yet.');
  if (said.indexOf(reply) < said.indexOf(question))
    throw conflict('The last question has no reply yet. Send it again.');
  return { head: at.checkpoint, said, question, reply };
}

/** Returns the question with new words. Images and other content stay. */
function inOtherWords({ content }: HumanMessage, text: string): MessageContent {
  const others = typeof content === 'string' ? [] : content.filter(({ type }) => type !== 'text');
  return others.length === 0 ? text : [{ type: 'text', text }, ...others];
}

async function prepared(c: AppContext, { head, said, question, reply }: Turn, asked: HumanMessage) {
  const input = await inputWith(c, head, question.id);
  const runId = head.runId ?? input?.checkpoint.runId;
  const checkpointId = input?.checkpoint.parentId;
  if (input === undefined || checkpointId == null || runId == null)
    throw conflict('The question did not start a run, so there is nothing to run again.');
  const { id, type, content, name, additional_kwargs } = asked;
  const sentWith = said.slice(0, said.indexOf(question)).filter((message) => input.ids.has(message.id));
  return {
    input: { messages: [...sentWith, { id, type, content, name, additional_kwargs }] },
    checkpoint: { checkpoint_ns: '', checkpoint_id: checkpointId, checkpoint_map: null },
    metadata: {
      regenerate_from_message_id: reply.id,
      regenerate_from_run_id: runId,
      regenerate_checkpoint_id: checkpointId,
    },
    target_run_id: runId,
  };
}

/** More steps than a run may take. */
const MOST_STEPS = 2_000;

interface Input {
  readonly checkpoint: CheckpointRecord;
  /** Ids of the messages in the checkpoint. */
  readonly ids: ReadonlySet<string>;
}

/** Returns the checkpoint of the head's lineage that added the message. Later updates may have changed it. */
async function inputWith(
  c: AppContext,
  head: CheckpointRecord,
  messageId: string,
): Promise<Input | undefined> {
  const { threadId } = c.var.thread;
  const { checkpoints } = c.var.repositories;
  let found: Input | undefined;
  let at: CheckpointRecord | undefined = head;
  for (let steps = 0; at !== undefined && steps < MOST_STEPS; steps++) {
    // Steps of the agent add no questions.
    const text = at.source === 'loop' ? undefined : await checkpoints.delta(threadId, at.checkpointId);
    const ids = new Set(text === undefined ? [] : parsedDelta(text).messages.map(({ id }) => id));
    if (ids.has(messageId)) found = { checkpoint: at, ids };
    if (found?.checkpoint.source === 'input') return found;
    at = at.parentId === null ? undefined : await checkpoints.get(threadId, at.parentId);
  }
  return found;
}
