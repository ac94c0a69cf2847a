// What an agent takes, shows and keeps, as JSON Schema: written from the schemas that validate.
import { z } from 'zod';
import { runBodySchema, runChoicesSchema } from '../../runs/request/run-request.ts';
import { stateFieldsSchema } from '../../runs/request/state-fields.ts';
import { jsonObject } from '../api/json-object.ts';

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
