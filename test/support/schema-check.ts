// Checks values against JSON Schemas that refer to the components of an OpenAPI document.
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';

/** Returns what violates the schema, and where; `undefined` for a valid value. */
export type SchemaCheck = (schema: object, value: unknown) => string | undefined;

const DOCUMENT_ID = 'https://service.test/openapi.json';

/** Compiles each schema on first use. */
export function createSchemaCheck(components: Readonly<Record<string, unknown>>): SchemaCheck {
  const ajv = new Ajv2020({ strict: false, validateFormats: false });
  ajv.addSchema({ $id: DOCUMENT_ID, components: { schemas: components } });
  const compiled = new Map<object, ValidateFunction>();
  return (schema, value) => {
    const check = compiled.get(schema) ?? ajv.compile(absolute(schema));
    compiled.set(schema, check);
    return check(value) ? undefined : ajv.errorsText(check.errors);
  };
}

/** Returns the schema with references to the components of the document. */
function absolute(schema: object): object {
  return JSON.parse(JSON.stringify(schema).replaceAll('"#/components/', `"${DOCUMENT_ID}#/components/`));
}
