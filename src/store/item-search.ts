// Searches items: how well a value matches the words of a query, and which values match a filter. Pure.
import { isDeepStrictEqual } from 'node:util';
import { validationFailed } from '../errors.ts';
import { isJsonObject, type Json, type JsonObject } from '../messages/message.ts';
import { wordsOf } from '../messages/search/words.ts';

/** Whether a value matches. */
export type ItemFilter = (value: JsonObject) => boolean;

/** Tests a field; `undefined` when it is absent. */
type FieldTest = (field: Json | undefined) => boolean;

/** Maximum depth of nested fields in a filter. */
const MAX_LEVELS = 8;

/**
 * Parses a filter, every field of which must match: `{a: 1}` tests equality, `{a: {$gt: 1}}` compares, `{a:
 * {b: 1}}` tests a nested field. Numbers compare with numbers and texts with texts; nothing else is larger or
 * smaller. Throws `validation_failed` for an unknown operator or an unsuitable operand.
 */
export function parseItemFilter(filter: JsonObject): ItemFilter {
  const test = fieldsTest(filter, ['body', 'filter']);
  return (value) => test(value);
}

function fieldsTest(fields: JsonObject, loc: readonly string[]): FieldTest {
  if (loc.length > MAX_LEVELS + 2)
    throw validationFailed(loc, `A filter can name fields at most ${MAX_LEVELS} levels deep`);
  const tests = Object.entries(fields).map(([name, wanted]) => ({
    name,
    test: fieldTest(wanted, [...loc, name]),
  }));
  return (value) => isJsonObject(value) && tests.every(({ name, test }) => test(ownField(value, name)));
}

function fieldTest(wanted: Json, loc: readonly string[]): FieldTest {
  if (!isJsonObject(wanted)) return (field) => isDeepStrictEqual(field, wanted);
  if (!Object.keys(wanted).some((key) => key.startsWith('$'))) return fieldsTest(wanted, loc);
  const tests = Object.entries(wanted).map(([operator, operand]) => operatorTest(operator, operand, loc));
  return (field) => tests.every((test) => test(field));
}

function operatorTest(name: string, operand: Json, loc: readonly string[]): FieldTest {
  const operator = Object.hasOwn(OPERATORS, name) ? OPERATORS[name] : undefined;
  const test = operator?.test(operand);
  if (test !== undefined) return test;
  const known = `Use one of ${Object.keys(OPERATORS).join(', ')}`;
  throw validationFailed([...loc, name], operator?.takes ?? known);
}

interface Operator {
  /** A sentence about the operands that suit; absent: all do. */
  readonly takes?: string;
  /** Returns `undefined` when the operand does not suit. */
  readonly test: (operand: Json) => FieldTest | undefined;
}

const COMPARES = 'Must compare with a number or a text';
const OPERATORS: Readonly<Record<string, Operator>> = {
  $eq: { test: (operand) => (field) => isDeepStrictEqual(field, operand) },
  $ne: { test: (operand) => (field) => !isDeepStrictEqual(field, operand) },
  $gt: { takes: COMPARES, test: (operand) => ordered(operand, (order) => order > 0) },
  $gte: { takes: COMPARES, test: (operand) => ordered(operand, (order) => order >= 0) },
  $lt: { takes: COMPARES, test: (operand) => ordered(operand, (order) => order < 0) },
  $lte: { takes: COMPARES, test: (operand) => ordered(operand, (order) => order <= 0) },
  $in: { takes: 'Takes a list', test: (operand) => listed(operand, true) },
  $nin: { takes: 'Takes a list', test: (operand) => listed(operand, false) },
  $exists: {
    takes: 'Takes true or false',
    test: (operand) =>
      typeof operand === 'boolean' ? (field) => (field !== undefined) === operand : undefined,
  },
};

function ordered(operand: Json, holds: (order: number) => boolean): FieldTest | undefined {
  if (typeof operand === 'number')
    return (field) => typeof field === 'number' && holds(Math.sign(field - operand));
  if (typeof operand !== 'string') return undefined;
  return (field) => typeof field === 'string' && holds(Number(field > operand) - Number(field < operand));
}

function listed(operand: Json, isWanted: boolean): FieldTest | undefined {
  if (!Array.isArray(operand)) return undefined;
  return (field) => operand.some((item) => isDeepStrictEqual(field, item)) === isWanted;
}

function ownField(value: JsonObject, name: string): Json | undefined {
  return Object.hasOwn(value, name) ? value[name] : undefined;
}

/** Returns the share of the query's words that occur in the texts of the value, 0 to 1. */
export type ItemScore = (value: Json) => number;

/** Case and accents do not matter. A query without a word scores 0. */
export function createItemScore(query: string): ItemScore {
  const wanted = new Set(wordsOf(query).map(({ text }) => text));
  return (value) => {
    const missing = new Set(wanted);
    for (const text of textsOf(value)) {
      if (missing.size === 0) break;
      for (const word of wordsOf(text)) missing.delete(word.text);
    }
    return wanted.size === 0 ? 0 : (wanted.size - missing.size) / wanted.size;
  };
}

/** Yields every text, however deep, but no names of fields. */
function* textsOf(value: Json): Generator<string, void, void> {
  if (typeof value === 'string') yield value;
  if (typeof value !== 'object' || value === null) return;
  for (const child of Object.values(value)) yield* textsOf(child);
}
