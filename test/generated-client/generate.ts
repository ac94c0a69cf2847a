// Reads an OpenAPI document from standard input and writes its types in TypeScript to standard output.
import { registerHooks } from 'node:module';
import { json } from 'node:stream/consumers';

// The generator is made for TypeScript 5, which is installed in this folder.
registerHooks({
  resolve: (specifier, context, next) =>
    next(specifier, specifier === 'typescript' ? { ...context, parentURL: import.meta.url } : context),
});

const { default: openapiTs, astToString } = await import('openapi-typescript');
process.stdout.write(astToString(await openapiTs(JSON.stringify(await json(process.stdin)))));
