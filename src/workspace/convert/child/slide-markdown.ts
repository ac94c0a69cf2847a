// One slide of a presentation in Markdown, independent of its format. Pure.

export interface Paragraph {
  readonly text: string;
  /** The level in its list, from 0. */
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

/** Indents bullets by their level. A single paragraph becomes plain text. */
export function listText(paragraphs: readonly Paragraph[]): string {
  const kept = paragraphs.filter(({ text }) => text !== '');
  const [only] = kept;
  if (kept.length === 1 && only !== undefined) return only.text;
  return kept.map(({ text, level }) => `${'  '.repeat(Math.min(level, MAX_LEVEL))}- ${text}`).join('\n');
}

/** A footer is on every slide. The function formats it once, and returns an empty text for repetitions. */
export function createFooters(): (text: string) => string {
  const seen = new Set<string>();
  return (text) => {
    const words = text.replace(/\s+/g, ' ').trim();
    if (words === '' || seen.has(words)) return '';
    seen.add(words);
    return `Footer: ${words}`;
  };
}
