// The two commands that start a run: with new input, or with answers to an earlier run's interrupts.
import { z } from 'zod';
import { stateObject } from '../../messages/bounded-json.ts';
import type { Json, JsonObject } from '../../messages/message.ts';
import { type RunBody, runBodySchema } from '../../runs/request/run-body.ts';
import { validate } from '../api/validate.ts';
import { ProtocolRefusal } from './protocol-refusal.ts';

/**
 * All modes that a protocol stream needs. The run's own modes matter to readers that join it in another way.
 */
const STREAM_MODES = ['values', 'updates', 'messages-tuple', 'custom', 'tasks', 'checkpoints'] as const;

const startSchema = z.looseObject({
  assistant_id: z.string().nullish(),
  config: z
    .looseObject({ configurable: z.looseObject({ checkpoint_id: z.string().nullish() }).nullish() })
    .nullish(),
});

/** Returns the request of `run.start`. On a thread that waits for a person, the input is the answer. */
export function startBody(params: JsonObject, interrupts: readonly string[]): RunBody {
  const { config } = validate(startSchema, params, 'body');
  const { input = null } = params;
  const answers = interrupts.length > 0 && input !== null;
  return runBody({
    ...params,
    multitask_strategy: params.multitask_strategy ?? params.multitaskStrategy ?? null,
    checkpoint_id: config?.configurable?.checkpoint_id ?? null,
    ...(answers ? { input: null, command: { resume: input } } : { input, command: null }),
  });
}

const responseSchema = z.looseObject({ interrupt_id: z.string().min(1).max(256) });
const respondSchema = z.union(
  [z.looseObject({ responses: z.array(responseSchema).min(1).max(256) }), responseSchema],
  {
    error: 'an interrupt_id with its response, or a list of responses',
  },
);

/**
 * Returns the request of `input.respond`. Throws `no_such_interrupt` for an interrupt that is not pending.
 */
export function respondBody(
  params: JsonObject,
  { interrupts, assistantId }: { readonly interrupts: readonly string[]; readonly assistantId: string },
): RunBody {
  const parsed = validate(respondSchema, params, 'body');
  const responses = 'responses' in parsed ? z.array(responseSchema).parse(parsed.responses) : [parsed];
  const resume: Record<string, Json> = {};
  for (const given of responses) {
    const { interrupt_id: id, response = null } = stateObject.parse(given);
    if (typeof id !== 'string' || !interrupts.includes(id)) {
      throw new ProtocolRefusal('no_such_interrupt', `The thread has no open interrupt '${String(id)}'.`);
    }
    resume[id] = response;
  }
  const { config = null, metadata = null, update = null, goto = null } = params;
  const command = { resume, ...(update === null ? {} : { update }), ...(goto === null ? {} : { goto }) };
  return runBody({ assistant_id: assistantId, config, metadata, input: null, command });
}

function runBody(fields: JsonObject): RunBody {
  const body = { ...fields, if_not_exists: 'create', stream_mode: STREAM_MODES, stream_subgraphs: true };
  return validate(runBodySchema, body, 'body');
}
