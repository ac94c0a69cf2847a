// Columns that hold the fields of a record unchanged: the same names, snake_case in SQL and camelCase in
// records.
import { type Camel, camelCase } from '../../../json/field-names.ts';

type Snake<Field extends string> = Field extends `${infer First}${infer Rest}`
  ? `${First extends Lowercase<First> ? First : `_${Lowercase<First>}`}${Snake<Rest>}`
  : '';

/** The columns of these fields. */
export type ColumnsOf<Fields> = {
  -readonly [Field in keyof Fields & string as Snake<Field>]: Fields[Field];
};

type FieldsOf<Row, Column extends keyof Row & string> = {
  readonly [Name in Column as Camel<Name>]: Row[Name];
};

interface PlainColumns<Column extends string> {
  readonly names: readonly Column[];
  fieldsOf<Row extends Readonly<Record<Column, unknown>>>(row: Row): FieldsOf<Row, Column & keyof Row>;
  columnsOf<const Fields extends Readonly<Record<Camel<Column>, unknown>>>(
    record: Fields,
  ): { [Name in Column]: Fields[Camel<Name>] };
}

export function plainColumns<const Column extends string>(names: readonly Column[]): PlainColumns<Column> {
  const fields = names.map(camelCase);
  return {
    names,
    fieldsOf: (row) => renamed(row, names, fields),
    columnsOf: (record) => renamed(record, fields, names),
  };
}

function renamed(
  from: Readonly<Record<string, unknown>>,
  before: readonly string[],
  after: readonly string[],
) {
  const values: Record<string, unknown> = {};
  for (let index = 0; index < before.length; index += 1)
    values[after[index] ?? ''] = from[before[index] ?? ''];
  // The names determine the fields, which no type can express.
  return values as never;
}
