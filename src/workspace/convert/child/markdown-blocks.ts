// Tables and pictures in Markdown, the same for every reader. Pure.

/**
 * The first row is the header. Fills short rows, and omits empty rows and trailing empty columns. Returns an
 * empty text when there is no table.
 */
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

/** Shows the description, if the picture has one. Office programs generate some that have several lines. */
export function pictureText(description: string, kind: 'Picture' | 'Chart' = 'Picture'): string {
  const words = description.replace(/\s+/g, ' ').trim();
  return words === '' ? `[${kind}]` : `[${kind}: ${words}]`;
}
