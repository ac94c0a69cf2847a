// What a tool server may ask the person: a form of plain fields.
import { z } from 'zod';

const MAX_FIELDS = 50;
const text = z.string().max(4_000);

const fieldSchema = z.looseObject({
  type: z.enum(['string', 'number', 'integer', 'boolean', 'array']).optional(),
  title: text.optional(),
  description: text.optional(),
  enum: z.array(text).max(200).optional(),
});

export const elicitationSchema = z.looseObject({
  message: text,
  requestedSchema: z.looseObject({
    properties: z
      .record(z.string().max(200), fieldSchema)
      .refine((fields) => Object.keys(fields).length <= MAX_FIELDS),
    required: z.array(z.string().max(200)).max(MAX_FIELDS).optional(),
  }),
});

export type Elicitation = z.output<typeof elicitationSchema>;

type FieldValue = string | number | boolean | string[];

export type ElicitationAnswer =
  | { action: 'accept'; content: Record<string, FieldValue> }
  | { action: 'decline' }
  | { action: 'cancel' };
