// A small report in three files, made of the person's own words: something to view beside the chat.

const FOLDER = '/mnt/user-data/outputs';
const MOST_WORDS = 6;

/** Returns a document, a table and a page about the words of `about`: their lengths and their letters. */
export function reportFiles(about: string) {
  const words = about.match(/[\p{L}\p{N}'’-]+/gu) ?? [];
  const counted = letterCounts(about);
  const rows = counted.map(([letter, count]) => `${letter},${count}`);
  return [
    { path: `${FOLDER}/report.md`, content: reportText(about, words) },
    { path: `${FOLDER}/letters.csv`, content: `${['letter,times', ...rows].join('\n')}\n` },
    { path: `${FOLDER}/letters.html`, content: page(about, counted) },
  ];
}

function reportText(about: string, words: readonly string[]): string {
  const longest = words.reduce((best, word) => (word.length > best.length ? word : best), '');
  const table = words.slice(0, MOST_WORDS).map((word) => `| ${word} | ${[...word].length} |`);
  return `# A report about ${about}

This report is made by fixed rules, without a language model: it counts what you wrote.

- **Words**: ${words.length}
- **The longest**: ${longest}

| word | letters |
|---|---:|
${table.join('\n')}

The numbers are in \`letters.csv\`, a picture of them is in \`letters.html\`.
`;
}

function letterCounts(text: string): readonly (readonly [string, number])[] {
  const counts = new Map<string, number>();
  for (const letter of text.toLowerCase().match(/\p{L}/gu) ?? [])
    counts.set(letter, (counts.get(letter) ?? 0) + 1);
  return [...counts].sort((a, b) => b[1] - a[1] || a[0].localeCompare(b[0], 'en')).slice(0, 12);
}

function page(about: string, counted: readonly (readonly [string, number])[]): string {
  const most = Math.max(1, ...counted.map(([, count]) => count));
  const bars = counted.map(
    ([letter, count]) =>
      `    <li><b>${letter}</b><span style="width:${Math.round((count / most) * 70)}%"></span>${count}</li>`,
  );
  return `<!doctype html>
<html lang="en">
  <meta charset="utf-8">
  <title>Letters</title>
  <style>
    body { font: 16px/1.6 system-ui, sans-serif; margin: 2.5rem auto; max-width: 34rem; padding: 0 1.5rem; color: #1c2a28; }
    h1 { font-size: 1.5rem; }
    ul { list-style: none; padding: 0; display: grid; gap: .5rem; }
    li { display: flex; align-items: center; gap: .75rem; }
    b { width: 1.2rem; text-align: center; }
    span { height: 1.1rem; border-radius: .4rem; background: #17776b; }
  </style>
  <h1>Letters in “${escaped(about)}”</h1>
  <ul>
${bars.join('\n')}
  </ul>
</html>
`;
}

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}
