// An agent as an assistant of the SDK (docs/contract/assistants.md#assistants): its id is its name, so runs and assistants agree.
import { z } from 'zod';
import type { Assistant } from '../../runs/admission/assistants.ts';
import { jsonObject } from '../api/json-object.ts';
import { timestamp } from './timestamp.ts';
import { timeField } from './wire-fields.ts';

const versionFields = {
  assistant_id: z.string(),
  graph_id: z.string(),
  name: z.string(),
  description: z.string(),
  config: jsonObject,
  context: jsonObject,
  metadata: jsonObject,
  version: z.int(),
  created_at: timeField,
};

export const assistantVersionSchema = z.object(versionFields).meta({ id: 'AssistantVersion' });
export const assistantBodySchema = z
  .object({ ...versionFields, updated_at: timeField })
  .meta({ id: 'Assistant' });

/** Of a search: only the fields of `select`, if it is given. */
export const foundAssistantSchema = assistantBodySchema
  .partial()
  .meta({ id: 'AssistantFields', description: 'An assistant; with `select`, only those of its fields' });

export type AssistantBody = z.output<typeof assistantBodySchema>;

export function presentAssistantVersion(assistant: Assistant): z.output<typeof assistantVersionSchema> {
  return {
    assistant_id: assistant.name,
    graph_id: assistant.name,
    name: assistant.name,
    description: assistant.description,
    config: assistant.model === null ? {} : { configurable: { model_name: assistant.model } },
    context: {},
    metadata: { created_by: assistant.pin === undefined ? 'system' : 'user' },
    version: assistant.version,
    created_at: timestamp(assistant.createdAt),
  };
}

export function presentAssistant(assistant: Assistant): AssistantBody {
  return { ...presentAssistantVersion(assistant), updated_at: timestamp(assistant.updatedAt) };
}
