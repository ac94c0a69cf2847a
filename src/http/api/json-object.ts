// The schema of a free-form JSON object in an answer, such as metadata.
import { z } from 'zod';
import type { JsonObject } from '../../messages/message.ts';

/** Bodies come out of a JSON parser, so what is an object holds nothing but JSON. */
export const jsonObject = z
  .custom<JsonObject>(
    (value) => typeof value === 'object' && value !== null && !Array.isArray(value),
    'Input should be an object',
  )
  .meta({ type: 'object', additionalProperties: true });
