// The models that a run may ask for (docs/contract/models.md#routes).
import { z } from 'zod';
import { notFound } from '../../errors.ts';
import type { ModelInfo } from '../../models/model.ts';
import type { MountRoutes } from '../api/route-table.ts';
import { modelNameField } from '../presenters/wire-fields.ts';

const modelSchema = z.object({
  name: modelNameField,
  display_name: z.string(),
  description: z.string().nullable(),
  supports_thinking: z.boolean(),
  supports_vision: z.boolean(),
});
const modelDetailSchema = modelSchema.extend({
  model: z.string(),
  max_tokens: z.int().nullable().describe('As configured; null: as long as the provider likes'),
});

export function modelRoutes({ models }: { readonly models: { list(): readonly ModelInfo[] } }): MountRoutes {
  return (routes) => {
    routes.add({
      method: 'get',
      path: '/api/models',
      tag: 'Models',
      operationId: 'listModels',
      summary: 'The models; the first one is the default',
      responses: { 200: { description: 'The models', schema: z.object({ models: z.array(modelSchema) }) } },
      handle: (c) => c.json({ models: models.list().map(presentModel) }),
    });
    routes.add({
      method: 'get',
      path: '/api/models/{model_name}',
      tag: 'Models',
      operationId: 'getModel',
      errors: ['not_found'],
      summary: 'One model',
      responses: { 200: { description: 'The model', schema: modelDetailSchema } },
      handle: (c) => {
        const info = models.list().find(({ name }) => name === c.req.param('model_name'));
        if (info === undefined) throw notFound('Model');
        return c.json({ ...presentModel(info), model: info.model, max_tokens: info.outputLimit ?? null });
      },
    });
  };
}

function presentModel(info: ModelInfo): z.output<typeof modelSchema> {
  return {
    name: info.name,
    display_name: info.displayName,
    description: info.description ?? null,
    supports_thinking: info.supportsThinking,
    supports_vision: info.supportsVision,
  };
}
