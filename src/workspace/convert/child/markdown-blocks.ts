// Tables and pictures in Markdown, as every reader writes them. Pure.

/** The first row is the header; short rows are filled, empty rows and columns at the end left out. Empty: no table. */
export function markdownTable(rows: readonly (readonly string[])[]): string {
  const kept = rows.filter((row) => row.some((cell) => cell.trim() !== ''));
  const width = kept.reduce((most, row) => Math.max(most, usedWidth(row)), 0);
  if (width === 0) return '';
  const lines = kept.map((row) => line(Array.from({ length: width }, (_, column) => row[column] ?? '')));
  const [header = '', ...rest] = lines;
  return [header, line(Array.from({ length: width }, () => '---')), ...rest].join('\n');
}

function usedWidth(row: readonly string[]): number {
  return row.findLastIndex((cell) => cell.trim() !== '') + 1;
}

function line(cells: readonly string[]): string {
  return `| ${cells.map(cellText).join(' | ')} |`;
}

function cellText(cell: string): string {
  return cell
    .trim()
    .replace(/\|/g, '\\|')
    .replace(/(?<!\s)\s*\n\s*/g, '<br>');
}

/** Its description, where somebody gave it one; office programs make up some of several lines. */
export function pictureText(description: string, kind: 'Picture' | 'Chart' = 'Picture'): string {
  const words = description.replace(/\s+/g, ' ').trim();
  return words === '' ? `[${kind}]` : `[${kind}: ${words}]`;
}
