// Converts records to their wire format: each field under its wire name, times as text.
import type { z } from 'zod';
import { type Camel, camelCase } from '../../json/field-names.ts';
import { timestamp } from './wire-fields.ts';

/** The record field behind a body field. Times (`at`, `*_at`) are milliseconds in records. */
type Inside<Name extends string, Value> = Name extends 'at' | `${string}_at`
  ? number | Extract<Value, null>
  : Value extends readonly (infer Item)[]
    ? readonly Item[]
    : Value;

type RecordOf<Body> = {
  readonly [Name in keyof Body & string as Camel<Name>]: Inside<Name, Body[Name]>;
};

/** Returns a presenter that shows exactly the fields of the schema. */
export function presenterOf<Schema extends z.ZodObject>({
  shape,
}: Schema): (record: RecordOf<z.output<Schema>>) => z.output<Schema> {
  const fields = Object.keys(shape).map((name) => ({ name, inside: camelCase(name), isTime: isTime(name) }));
  return (record) => {
    const values: Readonly<Record<string, unknown>> = record;
    const body: Record<string, unknown> = {};
    for (const { name, inside, isTime } of fields) {
      const value = values[inside];
      body[name] = isTime && typeof value === 'number' ? timestamp(value) : value;
    }
    // The fields follow from the names, which TypeScript cannot check.
    return body as never;
  };
}

function isTime(name: string): boolean {
  return name === 'at' || name.endsWith('_at');
}
