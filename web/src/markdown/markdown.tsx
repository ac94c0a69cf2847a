// Renders Markdown while it is being written: half-finished constructs are closed, scripts are removed.
import { memo, type ReactNode } from 'react';
import { type Components, Streamdown } from 'streamdown';
import { CodeBlock } from './code-block.tsx';
import type { MarkdownProps } from './lazy-markdown.tsx';
import './markdown.css';

const COMPONENTS = {
  a: ({ href, children }) => (
    <a href={href} target="_blank" rel="noopener noreferrer">
      {children}
    </a>
  ),
  // Images are not loaded from elsewhere: the address would tell others what is read here.
  img: ({ src, alt }) => (
    <a href={typeof src === 'string' ? src : undefined} target="_blank" rel="noopener noreferrer">
      {alt === undefined || alt === '' ? 'Image' : `Image: ${alt}`}
    </a>
  ),
  table: ({ children }) => (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a table that scrolls must be reachable by keyboard.
    <figure tabIndex={0} aria-label="Table" className="overflow-x-auto">
      <table>{children}</table>
    </figure>
  ),
  // A task of a task list.
  input: ({ checked }) => (
    <input type="checkbox" disabled checked={checked === true} aria-label={checked ? 'Done' : 'To do'} />
  ),
  inlineCode: ({ children }) => <code className="inline-code">{children}</code>,
  code: ({ className, children }) => (
    <CodeBlock language={languageOf(className)} code={typeof children === 'string' ? children : ''} />
  ),
} satisfies Components;

const LEVELS = [1, 2, 3, 4, 5, 6] as const;
const TAGS = ['h3', 'h4', 'h5', 'h6'] as const;

/** For a text whose highest heading has the level `top`: that becomes an h3, as the turn itself is an h2. */
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

export default memo(function RenderedMarkdown({ text, isWriting }: MarkdownProps) {
  return (
    <Streamdown
      className="markdown min-w-0"
      mode="streaming"
      isAnimating={isWriting}
      components={COMPONENTS_BY_TOP[topHeadingOf(text) - 1] ?? COMPONENTS}
      linkSafety={{ enabled: false }}
      controls={false}
    >
      {text}
    </Streamdown>
  );
});

function languageOf(className: string | undefined): string {
  return /language-([^\s]+)/.exec(className ?? '')?.[1] ?? '';
}
