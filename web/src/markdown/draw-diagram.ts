// Draws a diagram with Mermaid, as a picture in which nothing can act.
import DOMPurify from 'dompurify';
import mermaid from 'mermaid';

/** What a diagram may not say about itself, beside what Mermaid keeps to itself anyway. */
const KEPT = [
  'htmlLabels',
  'themeCSS',
  'themeVariables',
  'theme',
  'fontFamily',
  'altFontFamily',
  'look',
  'layout',
];
const SECURE = [
  'secure',
  'securityLevel',
  'startOnLoad',
  'maxTextSize',
  'maxEdges',
  'suppressErrorRendering',
];

mermaid.initialize({
  startOnLoad: false,
  securityLevel: 'strict',
  htmlLabels: false,
  suppressErrorRendering: true,
  maxTextSize: 20_000,
  maxEdges: 300,
  theme: 'neutral',
  // The other one is half a megabyte.
  layout: 'dagre',
  fontFamily: 'ui-sans-serif, system-ui, sans-serif',
  secure: [...SECURE, ...KEPT],
});

export interface Picture {
  /** A `data:` address. */
  readonly src: string;
  readonly width: number;
  readonly height: number;
}

/** `id` is that of one element of the page. Rejects when the source is no diagram. */
export async function drawDiagram(id: string, source: string): Promise<Picture> {
  const { svg } = await mermaid.render(id, withoutTags(withoutCodes(source)));
  const drawn = DOMPurify.sanitize(svg, {
    USE_PROFILES: { svg: true, svgFilters: true },
    FORBID_TAGS: ['a', 'image', 'foreignObject'],
    RETURN_DOM_FRAGMENT: true,
  }).querySelector('svg');
  const [, , width = 0, height = 0] = (drawn?.getAttribute('viewBox') ?? '').split(' ').map(Number);
  if (drawn === null || !(width > 0 && height > 0)) throw new Error('The diagram is empty.');
  drawn.removeAttribute('style');
  drawn.setAttribute('width', String(width));
  drawn.setAttribute('height', String(height));
  const text = new XMLSerializer().serializeToString(drawn);
  return { src: `data:image/svg+xml;charset=utf-8,${encodeURIComponent(text)}`, width, height };
}

/** Look-alikes for characters that would end a label or begin a tag. */
const HARMLESS: Readonly<Record<string, string>> = { amp: '＆', gt: '›', lt: '‹', nbsp: '\u00a0', quot: '”' };

/** `#quot;` and `#9829;` are how a label says what it cannot say as it is; without HTML they would be shown as they are. */
function withoutCodes(source: string): string {
  return source.replaceAll(
    /#(?:(\d{4,5})|(amp|gt|lt|nbsp|quot));/g,
    (found, code: string | undefined, name = '') =>
      code === undefined ? (HARMLESS[name] ?? found) : String.fromCharCode(Number(code)),
  );
}

/** Mermaid measures some texts as HTML of the page, where a tag would be one. Breaks and `<<words>>` are its own. */
function withoutTags(source: string): string {
  return source.replaceAll(/<<[\w -]{1,64}>>|<br ?\/?>|<(?=[a-z/!?])/gi, (found) =>
    found === '<' ? '‹' : found,
  );
}
