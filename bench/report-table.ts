// The parts of a bench's page: tables, numbers, and figures with their targets.

export interface Target {
  readonly what: string;
  readonly wanted: string;
  readonly value: number | undefined;
  readonly met: (value: number) => boolean;
}

export function atLeast(what: string, least: number, value: number | undefined): Target {
  return { what, wanted: `>= ${number(least)}`, value, met: (it) => it >= least };
}

export function atMost(what: string, most: number, value: number | undefined): Target {
  return { what, wanted: `<= ${number(most)}`, value, met: (it) => it <= most };
}

export function targetTable(targets: readonly Target[]): string {
  const rows = targets.map(({ what, wanted, value, met }) => {
    if (value === undefined) return [what, wanted, 'not measured', ''];
    return [what, wanted, number(value), met(value) ? 'yes' : '**no**'];
  });
  return table(['figure', 'wanted', 'measured', 'met'], rows);
}

export function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const widths = head.map((title, column) =>
    Math.max(title.length, ...rows.map((row) => row[column]?.length ?? 0)),
  );
  const line = (cells: readonly string[]) =>
    `| ${cells.map((cell, column) => (column === 0 ? cell.padEnd(widths[0] ?? 0) : cell.padStart(widths[column] ?? 0))).join(' | ')} |`;
  const rule = widths.map((width, column) =>
    column === 0 ? '-'.repeat(width) : `${'-'.repeat(width - 1)}:`,
  );
  return [line(head), line(rule), ...rows.map(line)].join('\n');
}

export function number(value: number): string {
  if (Math.abs(value) >= 100) return Math.round(value).toLocaleString('en-US');
  return value.toFixed(Math.abs(value) >= 10 ? 1 : 2);
}
