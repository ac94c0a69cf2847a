// One slide of a presentation in Markdown, whichever format it comes from. Pure.

export interface Paragraph {
  readonly text: string;
  /** How deep it stands in its list, from 0. */
  readonly level: number;
}

export interface SlideContent {
  /** From 1. */
  readonly number: number;
  readonly title: string;
  readonly blocks: readonly string[];
  readonly notes: readonly string[];
}

export function slideMarkdown({ number, title, blocks, notes }: SlideContent): string {
  const words = title.replace(/\s+/g, ' ').trim();
  const heading = words === '' ? `## Slide ${number}` : `## Slide ${number}: ${words}`;
  const lines = notes.filter((line) => line !== '');
  const text = lines.length === 0 ? '' : ['> Notes:', ...lines.map((line) => `> ${line}`)].join('\n');
  return [heading, ...blocks, text].filter((block) => block !== '').join('\n\n');
}

const MAX_LEVEL = 9;

/** Bullets as deep as their level; one paragraph alone is text. */
export function listText(paragraphs: readonly Paragraph[]): string {
  const kept = paragraphs.filter(({ text }) => text !== '');
  const [only] = kept;
  if (kept.length === 1 && only !== undefined) return only.text;
  return kept.map(({ text, level }) => `${'  '.repeat(Math.min(level, MAX_LEVEL))}- ${text}`).join('\n');
}

/** A footer stands on every slide: it is told on the first one that has it, and `undefined` on the others. */
export function createFooters(): (text: string) => string {
  const seen = new Set<string>();
  return (text) => {
    const words = text.replace(/\s+/g, ' ').trim();
    if (words === '' || seen.has(words)) return '';
    seen.add(words);
    return `Footer: ${words}`;
  };
}
