// Fields that many responses share, each with an example for the API's document.
import { z } from 'zod';
import { isFields } from '../../json/unknown-json.ts';
import type { Json, JsonObject } from '../../messages/message.ts';

/**
 * Not `z.json()`, because generated clients turn a self-referencing schema into a type that does not compile.
 */
export const anyJson = z.custom<Json>();

/** A time in ISO 8601, in UTC. */
export const timeField = z.string().meta({ format: 'date-time', examples: ['2026-11-21T09:30:00.000Z'] });
export const threadIdField = z.string().meta({ examples: ['01993f5a-7b1e-7c40-9d3a-5f2b8c6e1a20'] });
export const runIdField = z.string().meta({ examples: ['01993f5a-9c04-7d11-8e6b-2a4c7f9d3b51'] });
export const userIdField = z.string().meta({ examples: ['01993f42-11d8-7a63-b2c4-6e0f8a1d5c37'] });
export const messageIdField = z.string().meta({ examples: ['01993f5a-9c2f-7b08-a1d2-3e4f5a6b7c8d'] });
export const checkpointIdField = z.string().meta({ examples: ['01993f5a-a310-7f52-9c1d-8b7a6e5d4c3f'] });
export const modelNameField = z.string().meta({ examples: ['demo'] });
export const virtualPathField = z.string().meta({ examples: ['/mnt/user-data/outputs/report.md'] });
export const artifactUrlField = z.string().meta({
  examples: ['/api/threads/01993f5a-7b1e-7c40-9d3a-5f2b8c6e1a20/artifacts/mnt/user-data/outputs/report.md'],
});

/** Returns the address of a file of a thread, whose path is virtual. */
export function artifactUrl(threadId: string, path: string): string {
  return `/api/threads/${threadId}/artifacts${encodedPath(path)}`;
}

/** Returns the path percent-encoded, with a leading slash. */
export function encodedPath(path: string): string {
  const encoded = path.split('/').map(encodeURIComponent).join('/');
  return encoded.startsWith('/') ? encoded : `/${encoded}`;
}

/** A SHA-256 hash in hexadecimal. */
export const sha256Field = z
  .string()
  .meta({ examples: ['9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08'] });

/**
 * Checks only that the value is an object. Bodies come from a JSON parser, so an object contains only JSON.
 */
export const jsonObject = z
  .custom<JsonObject>(isFields, 'Input should be an object')
  .meta({ type: 'object', additionalProperties: true });

/** Formats a time for the wire: ISO 8601 in UTC with offset and milliseconds. */
export function timestamp(epochMilliseconds: number): string {
  return new Date(epochMilliseconds).toISOString().replace('Z', '+00:00');
}
