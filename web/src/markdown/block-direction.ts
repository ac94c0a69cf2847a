// Sets the text direction of every block of a reply by its content: Arabic and Hebrew run from right to left.

interface Node {
  readonly type: string;
  readonly tagName?: string;
  readonly value?: unknown;
  readonly children?: readonly Node[];
  properties?: Record<string, unknown>;
}

/** The browser decides for these elements by their first letter. */
const TEXTS = new Set(['p', 'h1', 'h2', 'h3', 'h4', 'h5', 'h6', 'th', 'td', 'dt', 'dd', 'summary']);
/** The browser ignores nested blocks of these elements, but the side of their markers depends on them. */
const CONTAINERS = new Set(['ul', 'ol', 'li', 'blockquote', 'table']);
const FROM_THE_RIGHT =
  /[\p{Script=Arabic}\p{Script=Hebrew}\p{Script=Syriac}\p{Script=Thaana}\p{Script=Nko}]/u;

/** A rehype plugin. */
export function blockDirection() {
  return setDirections;
}

function setDirections(node: Node): void {
  const { tagName = '' } = node;
  if (TEXTS.has(tagName)) node.properties = { ...node.properties, dir: 'auto' };
  if (CONTAINERS.has(tagName)) node.properties = { ...node.properties, dir: directionOf(node) };
  for (const child of node.children ?? []) setDirections(child);
}

function directionOf(node: Node): 'ltr' | 'rtl' {
  return FROM_THE_RIGHT.test(firstLetterIn(node) ?? '') ? 'rtl' : 'ltr';
}

function firstLetterIn({ type, tagName, value, children = [] }: Node): string | undefined {
  if (type === 'text') return /\p{L}/u.exec(String(value))?.[0];
  if (tagName === 'code' || tagName === 'pre') return undefined;
  for (const child of children) {
    const letter = firstLetterIn(child);
    if (letter !== undefined) return letter;
  }
  return undefined;
}
