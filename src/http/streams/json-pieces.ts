// Sends long JSON as it is produced, at the reader's pace, so that no more than a piece is in memory.
import { createBreath } from '../../breath.ts';
import { isFields } from '../../json/unknown-json.ts';
import type { Log } from '../../log.ts';
import type { AppContext } from '../api/context.ts';
import { liveResponse } from './live-response.ts';
import { HEARTBEAT_MS, keptAlive } from './sse.ts';

type Pieces = Iterable<string> | AsyncIterable<string>;

const JSON_HEADERS = { 'Content-Type': 'application/json' };
/** Shorter JSON is sent as one ordinary response, and an earlier error becomes an error response. */
const SHORT = 65_536;
/** Pieces are collected until they have this length. */
const LONG_ENOUGH = 32_768;

/**
 * Responds with the pieces, perhaps with white space between them. A later error cuts the response off
 * without a clean end.
 */
export async function respondInPieces(c: AppContext, pieces: Pieces, log: Log): Promise<Response> {
  const rest = gathered(pieces);
  let text = '';
  while (text.length < SHORT) {
    const next = await rest.next();
    if (next.done === true) return c.body(text, 200, JSON_HEADERS);
    text += next.value;
  }
  const body = keptAlive(continued(text, rest), {
    heartbeat: '\n',
    heartbeatMs: HEARTBEAT_MS,
    onClose(reason, error) {
      if (reason === 'broken') log.warn({ err: error }, 'a long response broke off');
    },
  });
  return liveResponse(c, body, JSON_HEADERS);
}

/** Yields the items as a JSON list, each in pieces. */
export async function* listInPieces<Item>(
  items: AsyncIterable<Item>,
  piecesOf: (item: Item, index: number) => Iterable<string>,
): AsyncGenerator<string, void, void> {
  yield '[';
  let index = 0;
  for await (const item of items) {
    if (index > 0) yield ',';
    yield* piecesOf(item, index);
    index += 1;
  }
  yield ']';
}

/** Yields an object in pieces, down to the fields of its object fields. */
export function* objectInPieces(fields: object): Generator<string, void, void> {
  yield* fieldsInPieces(fields, (value) =>
    isFields(value) ? fieldsInPieces(value, (inner) => [JSON.stringify(inner)]) : [JSON.stringify(value)],
  );
}

function* fieldsInPieces(
  fields: object,
  piecesOf: (value: unknown) => Iterable<string>,
): Generator<string, void, void> {
  let before = '{';
  for (const [key, value] of Object.entries(fields)) {
    if (value === undefined) continue;
    yield `${before}${JSON.stringify(key)}:`;
    yield* piecesOf(value);
    before = ',';
  }
  yield before === '{' ? '{}' : '}';
}

async function* continued(
  begin: string,
  rest: AsyncGenerator<string, void, void>,
): AsyncGenerator<string, void, void> {
  yield begin;
  yield* rest;
}

async function* gathered(pieces: Pieces): AsyncGenerator<string, void, void> {
  const breath = createBreath();
  let text = '';
  for await (const piece of pieces) {
    text += piece;
    if (text.length < LONG_ENOUGH) continue;
    yield text;
    text = '';
    await breath();
  }
  yield text;
}
