// Draws a diagram with Mermaid as a picture without active content.
import DOMPurify from 'dompurify';
import mermaid from 'mermaid';

/** Settings that a diagram may not override, besides those that Mermaid itself protects. */
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
  // The other layout engine is half a megabyte.
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

/** `id` becomes the id of an element of the page. Rejects when the source is not a diagram. */
export async function drawDiagram(id: string, source: string): Promise<Picture> {
  const { svg } = await svgOf(id, withoutTags(withoutCodes(source)));
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

/**
 * Mermaid measures its drawing in the page. At the end of the body, the drawing would make the page longer,
 * and the page would scroll.
 */
async function svgOf(id: string, source: string): Promise<{ readonly svg: string }> {
  const place = document.createElement('div');
  place.className = 'pointer-events-none invisible fixed inset-0 overflow-clip';
  place.ariaHidden = 'true';
  document.body.append(place);
  try {
    return await mermaid.render(id, source, place);
  } finally {
    place.remove();
  }
}

/** Look-alikes for characters that would end a label or begin a tag. */
const HARMLESS: Readonly<Record<string, string>> = { amp: '＆', gt: '›', lt: '‹', nbsp: '\u00a0', quot: '”' };

/**
 * Replaces codes such as `#quot;` and `#9829;`, with which a label writes characters that it cannot contain.
 * Without HTML, Mermaid would show the codes themselves.
 */
function withoutCodes(source: string): string {
  return source.replaceAll(
    /#(?:(\d{4,5})|(amp|gt|lt|nbsp|quot));/g,
    (found, code: string | undefined, name = '') =>
      code === undefined ? (HARMLESS[name] ?? found) : String.fromCharCode(Number(code)),
  );
}

/**
 * Replaces `<`, because Mermaid measures some texts as HTML of the page, where a tag would take effect.
 * Breaks and `<<words>>` belong to Mermaid's syntax.
 */
function withoutTags(source: string): string {
  return source.replaceAll(/<<[\w -]{1,64}>>|<br ?\/?>|<(?=[a-z/!?])/gi, (found) =>
    found === '<' ? '‹' : found,
  );
}
