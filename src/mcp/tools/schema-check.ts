// Checks schemas against the meta-schema of JSON Schema 2020-12, by which providers judge them, too.
import { setImmediate as nextTurn } from 'node:timers/promises';
import { Ajv2020 } from 'ajv/dist/2020.js';
import type { JsonObject } from '../../messages/message.ts';

/** Returns what is wrong, as a clause; `undefined` for a schema. Nothing of it is compiled or run. */
export type SchemaCheck = (schema: JsonObject) => string | undefined;

const DRAFT = 'https://json-schema.org/draft/2020-12';
const PARTS = [
  'core',
  'applicator',
  'unevaluated',
  'validation',
  'meta-data',
  'format-annotation',
  'content',
];
const SHOWN = 200;

/** Takes a while, and lets others have their turns. */
export async function createSchemaCheck(): Promise<SchemaCheck> {
  const ajv = new Ajv2020({ strict: false, validateFormats: false, logger: false });
  for (const part of PARTS) {
    await nextTurn();
    ajv.getSchema(`${DRAFT}/meta/${part}`);
  }
  await nextTurn();
  const isSchema = ajv.getSchema(`${DRAFT}/schema`);
  if (isSchema === undefined) throw new Error('The meta-schema of JSON Schema 2020-12 is missing.');
  return (schema) => {
    if (isSchema(schema) === true) return undefined;
    const [{ instancePath = '', message = 'is not valid' } = {}] = isSchema.errors ?? [];
    return `its schema is not JSON Schema: ${instancePath === '' ? 'it' : instancePath} ${message}`.slice(
      0,
      SHOWN,
    );
  };
}
