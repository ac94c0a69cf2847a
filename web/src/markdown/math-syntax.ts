// Adds the syntax of formulas to the Markdown renderer. `formula.tsx` draws them.
import { mathFromMarkdown } from 'mdast-util-math';
import type { Extension } from 'micromark-util-types';
import { BACKSLASH, DOLLAR } from './math-codes.ts';
import { mathFlow } from './math-flow.ts';
import { mathText } from './math-text.ts';

const mathTokens: Extension = {
  flow: { [DOLLAR]: mathFlow('$$'), [BACKSLASH]: mathFlow('\\[') },
  text: { [DOLLAR]: [mathText('$$'), mathText('$')], [BACKSLASH]: [mathText('\\('), mathText('\\[')] },
};

/** The class of a formula in running text that is displayed on a separate line. */
export const DISPLAYED = 'language-displayed-math';

interface Node {
  readonly type: string;
  readonly children?: readonly Node[];
  readonly position?: { readonly start: { readonly offset?: number } };
  data?: { hProperties?: unknown };
}

interface Extensions {
  micromarkExtensions?: unknown[];
  fromMarkdownExtensions?: unknown[];
}

/** A remark plugin. */
export function mathSyntax(this: { data(): object }) {
  const data: Extensions = this.data();
  data.micromarkExtensions = [...(data.micromarkExtensions ?? []), mathTokens];
  data.fromMarkdownExtensions = [...(data.fromMarkdownExtensions ?? []), mathFromMarkdown()];
  return (tree: Node, file: { readonly value: unknown }) => markDisplayed(tree, String(file.value));
}

/** Marks `\[…\]` in running text, which is displayed on a separate line. */
function markDisplayed(node: Node, source: string): void {
  const { type, children = [], position } = node;
  if (type === 'inlineMath' && source.startsWith('\\[', position?.start.offset))
    node.data = { ...node.data, hProperties: { className: [DISPLAYED] } };
  for (const child of children) markDisplayed(child, source);
}
