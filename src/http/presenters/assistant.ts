// Agents as assistants of the SDK (docs/contract/assistants.md#assistants). An id is a name, so that runs and
// assistants agree.
import { z } from 'zod';
import type { Assistant } from '../../runs/admission/assistants.ts';
import { runBodySchema, runChoicesSchema } from '../../runs/request/run-body.ts';
import { stateFieldsSchema } from '../../runs/request/state-fields.ts';
import { jsonObject, timeField, timestamp } from './wire-fields.ts';

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

/** A search result: all fields, or only those in `select`. */
export const foundAssistantSchema = assistantBodySchema
  .partial()
  .meta({ id: 'AssistantFields', description: 'An assistant; with `select`, only those of its fields' });

type AssistantBody = z.output<typeof assistantBodySchema>;

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

export const assistantGraphSchema = z
  .object({
    nodes: z.array(z.object({ id: z.string(), name: z.string(), type: z.string(), data: z.string() })),
    edges: z.array(z.object({ source: z.string(), target: z.string(), conditional: z.boolean() })),
  })
  .meta({ id: 'AssistantGraph' });

type AssistantGraph = z.output<typeof assistantGraphSchema>;

const START = '__start__';
const END = '__end__';

/** The graph of every agent of the service: `model -> tools -> model` until the model stops. */
export const AGENT_GRAPH: AssistantGraph = {
  nodes: [node(START), node('model'), node('tools'), node(END)],
  edges: [
    { source: START, target: 'model', conditional: false },
    { source: 'model', target: 'tools', conditional: true },
    { source: 'model', target: END, conditional: true },
    { source: 'tools', target: 'model', conditional: false },
  ],
};

function node(name: string): AssistantGraph['nodes'][number] {
  const type = name === START || name === END ? 'schema' : 'runnable';
  return { id: name, name, type, data: name };
}

export const assistantSchemasSchema = z
  .object({
    graph_id: z.string(),
    input_schema: jsonObject,
    output_schema: jsonObject,
    state_schema: jsonObject,
    config_schema: jsonObject,
    context_schema: jsonObject,
  })
  .meta({ id: 'AssistantSchemas' });

/** Returns the input, output and state of an agent as JSON Schema, generated from the validating schemas. */
export function assistantSchemas(graphId: string): z.output<typeof assistantSchemasSchema> {
  const state = jsonSchema(stateFieldsSchema, 'State');
  const choices = jsonSchema(runChoicesSchema, 'Configurable');
  return {
    graph_id: graphId,
    input_schema: jsonSchema(runBodySchema.shape.input, 'Input'),
    output_schema: state,
    state_schema: state,
    config_schema: choices,
    context_schema: choices,
  };
}

function jsonSchema(schema: z.ZodType, title: string) {
  const { $schema: _, ...written } = z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' });
  return jsonObject.parse({ title, ...written });
}
