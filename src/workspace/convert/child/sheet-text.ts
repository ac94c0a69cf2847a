// One sheet of a workbook in Markdown. Pure.

/** A sheet without cells is there, and says so. */
export function sheetText(name: string, table: string): string {
  return `## ${name.replace(/\s+/g, ' ').trim()}\n\n${table === '' ? '_Empty sheet._' : table}`;
}
