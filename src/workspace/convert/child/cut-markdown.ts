// Markdown that is too long for one file loses its end, and says so. Pure.

const MIB = 1_048_576;

export function cutMarkdown(markdown: string, maxBytes: number): string {
  if (Buffer.byteLength(markdown) <= maxBytes) return markdown;
  const head = Buffer.from(markdown).subarray(0, maxBytes).toString('utf8');
  const lineEnd = head.lastIndexOf('\n');
  const kept = lineEnd > 0 ? head.slice(0, lineEnd) : head;
  return `${kept}\n\n_The rest of the document is left out: its Markdown is longer than ${maxBytes / MIB} MB._\n`;
}
