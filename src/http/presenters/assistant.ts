// An agent as an assistant of the SDK (decisions, section 4): its id is its name, so runs and assistants agree.
import { z } from 'zod';
import type { Assistant } from '../../runs/assistants.ts';
import { jsonObject } from '../json-object.ts';
import { timestamp } from './timestamp.ts';

const versionFields = {
  assistant_id: z.string(),
  graph_id: z.string(),
  name: z.string(),
  description: z.string(),
  config: jsonObject,
  context: jsonObject,
  metadata: jsonObject,
  version: z.int(),
  created_at: z.string(),
};

export const assistantVersionSchema = z.object(versionFields).meta({ id: 'AssistantVersion' });
export const assistantBodySchema = z
  .object({ ...versionFields, updated_at: z.string() })
  .meta({ id: 'Assistant' });

export type AssistantBody = z.output<typeof assistantBodySchema>;

export function presentAssistantVersion(assistant: Assistant): z.output<typeof assistantVersionSchema> {
  return {
    assistant_id: assistant.name,
    graph_id: assistant.name,
    name: assistant.name,
    description: assistant.description,
    config: {},
    context: {},
    metadata: { created_by: 'system' },
    version: 1,
    created_at: timestamp(assistant.createdAt),
  };
}

export function presentAssistant(assistant: Assistant): AssistantBody {
  return { ...presentAssistantVersion(assistant), updated_at: timestamp(assistant.createdAt) };
}
