// Renders Markdown. A text that is still being written gets its open ends closed; a complete text is rendered
// exactly as it is. No script in it survives.
import './markdown.css';
import { type MouseEvent, memo, type ReactNode } from 'react';
import { type Components, defaultRehypePlugins, defaultRemarkPlugins, Streamdown } from 'streamdown';
import { blockDirection } from './block-direction.ts';
import { CodeBlock } from './code-block.tsx';
import { DiagramBlock } from './diagram-block.tsx';
import { Formula, FormulaBlock } from './lazy-formula.tsx';
import { DISPLAYED, mathSyntax } from './math-syntax.ts';

const WITHOUT_MATH = [...Object.values(defaultRemarkPlugins)];
const REMARK_PLUGINS = [...WITHOUT_MATH, mathSyntax];
/** Texts with formulas have fewer delimiters. Searching for the end of each of very many takes seconds. */
const MOST_MATH_MARKS = 4_000;
const REHYPE_PLUGINS = [...Object.values(defaultRehypePlugins), blockDirection];
const MATH = 'language-math';

const COMPONENTS = {
  a: ({ href, id, children }) => (
    <Link href={href} id={id}>
      {children}
    </Link>
  ),
  // Images are not loaded from other hosts, which would learn what the person reads.
  img: ({ src, alt }) => (
    <a href={typeof src === 'string' ? src : undefined} target="_blank" rel="noopener noreferrer">
      {alt === undefined || alt === '' ? 'Image' : `Image: ${alt}`}
    </a>
  ),
  table: ({ children }) => (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a table that scrolls must be reachable by keyboard.
    <figure tabIndex={0} aria-label="Table" className="more-beside overflow-x-auto">
      <table>{children}</table>
    </figure>
  ),
  // A task of a task list.
  input: ({ checked }) => (
    <input type="checkbox" disabled checked={checked === true} aria-label={checked ? 'Done' : 'To do'} />
  ),
  inlineCode: ({ className, children }) => {
    if (className === MATH) return <Formula text={textOf(children)} display="inline" />;
    if (className === DISPLAYED) return <Formula text={textOf(children)} display="block" />;
    return <code className="inline-code">{children}</code>;
  },
  code: ({ className, children }) => {
    if (className === MATH) return <FormulaBlock text={textOf(children)} />;
    if (languageOf(className) === 'mermaid') return <DiagramBlock source={textOf(children)} />;
    return <CodeBlock language={languageOf(className)} code={textOf(children)} />;
  },
} satisfies Components;

const LEVELS = [1, 2, 3, 4, 5, 6] as const;
const TAGS = ['h3', 'h4', 'h5', 'h6'] as const;

/**
 * Returns components for a text whose highest heading has the level `top`. That level becomes an h3, because
 * the turn is an h2.
 */
function componentsFor(top: number): Components {
  const headings = LEVELS.map((level) => {
    const Tag = TAGS[Math.min(Math.max(level - top, 0), TAGS.length - 1)] ?? 'h6';
    const heading = ({ children }: { readonly children?: ReactNode }) => (
      <Tag data-level={level}>{children}</Tag>
    );
    return [`h${level}`, heading] as const;
  });
  return { ...COMPONENTS, ...Object.fromEntries(headings) };
}

const COMPONENTS_BY_TOP = LEVELS.map(componentsFor);

function topHeadingOf(text: string): number {
  const lengths = [...text.matchAll(/^ {0,3}(#{1,6})\s/gm)].map((match) => match[1]?.length ?? 1);
  return Math.min(6, ...lengths);
}

export interface MarkdownProps {
  readonly text: string;
  /** True while more of the text is coming. */
  readonly isWriting: boolean;
}

export default memo(function RenderedMarkdown({ text, isWriting }: MarkdownProps) {
  return (
    <Streamdown
      className="markdown min-w-0"
      mode={isWriting ? 'streaming' : 'static'}
      isAnimating={isWriting}
      components={COMPONENTS_BY_TOP[topHeadingOf(text) - 1] ?? COMPONENTS}
      remarkPlugins={hasManyMathMarks(text) ? WITHOUT_MATH : REMARK_PLUGINS}
      rehypePlugins={REHYPE_PLUGINS}
      linkSafety={{ enabled: false }}
      controls={false}
    >
      {text}
    </Streamdown>
  );
});

function hasManyMathMarks(text: string): boolean {
  let left = MOST_MATH_MARKS;
  for (const _ of text.matchAll(/\$|\\[([]/g)) if (--left < 0) return true;
  return false;
}

function textOf(children: ReactNode): string {
  return typeof children === 'string' ? children : '';
}

function languageOf(className: string | undefined): string {
  return /language-([^\s]+)/.exec(className ?? '')?.[1] ?? '';
}

interface LinkProps {
  readonly href?: string | undefined;
  readonly id?: string | undefined;
  readonly children?: ReactNode;
}

export function Link({ href, id, children }: LinkProps) {
  if (href?.startsWith('#') === true) {
    return (
      <a href={href} id={id} onClick={goToNote}>
        {children}
      </a>
    );
  }
  return (
    <a href={href} target="_blank" rel="noopener noreferrer">
      {children}
    </a>
  );
}

/**
 * Each reply numbers its footnotes from 1, so the fragment alone would lead to the first reply that has
 * footnotes.
 */
function goToNote(event: MouseEvent<HTMLAnchorElement>): void {
  event.preventDefault();
  const link = event.currentTarget;
  const id = link.hash.slice(1);
  const note = [...(link.closest('.markdown')?.querySelectorAll('[id]') ?? [])].find((it) => it.id === id);
  if (!(note instanceof HTMLElement)) return;
  if (!(note instanceof HTMLAnchorElement)) note.tabIndex = -1;
  note.scrollIntoView({ block: 'nearest' });
  note.focus({ preventScroll: true });
}
