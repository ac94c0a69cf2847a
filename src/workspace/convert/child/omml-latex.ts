// Formulas of office documents (OMML) in LaTeX. Pure.
import { latexSign, latexText } from './latex-symbols.ts';
import { childrenOf, nodeAt, textOf, type XmlNode } from './office-xml.ts';

/** Returns the LaTeX of an `oMath`, without dollar signs. */
export function latexFormula(formula: XmlNode): string {
  return tidy(childrenLatex(formula));
}

function tidy(latex: string): string {
  return latex
    .replace(/\s+/g, ' ')
    .replace(/ (?=[}_^)\]])/g, '')
    .trim();
}

type Write = (node: XmlNode) => string;

/** By the name of the element. Any other element is written as its contents. */
const WRITERS: ReadonlyMap<string, Write> = new Map<string, Write>([
  ['r', runLatex],
  ['f', fraction],
  ['sSup', (it) => `${base(it)}^{${part(it, 'sup')}}`],
  ['sSub', (it) => `${base(it)}_{${part(it, 'sub')}}`],
  ['sSubSup', (it) => `${base(it)}_{${part(it, 'sub')}}^{${part(it, 'sup')}}`],
  ['sPre', (it) => `{}_{${part(it, 'sub')}}^{${part(it, 'sup')}}${base(it)}`],
  ['rad', radical],
  ['nary', nary],
  ['d', delimited],
  ['m', (it) => `\\begin{matrix}${rows(it)}\\end{matrix}`],
  ['eqArr', (it) => `\\begin{aligned}${childrenOf(it, 'e').map(childrenLatex).join(' \\\\ ')}\\end{aligned}`],
  ['acc', (it) => `\\${ACCENTS.get(sign(it, ['accPr', 'chr'], '\u0302')) ?? 'hat'}{${part(it, 'e')}}`],
  ['bar', (it) => `\\${value(it, 'barPr', 'pos') === 'top' ? 'overline' : 'underline'}{${part(it, 'e')}}`],
  ['groupChr', grouped],
  ['func', (it) => `${part(it, 'fName')} ${part(it, 'e')}`],
  ['limLow', (it) => limit(it, '_')],
  ['limUpp', (it) => limit(it, '^')],
  ['box', (it) => part(it, 'e')],
  ['borderBox', (it) => `\\boxed{${part(it, 'e')}}`],
  ['phant', (it) => (isOff(value(it, 'phantPr', 'show')) ? '' : part(it, 'e'))],
  ['del', () => ''],
]);
/** Elements that describe appearance. */
const PROPERTIES = /Pr$/;

function latex(node: XmlNode): string {
  if (PROPERTIES.test(node.name)) return '';
  return (WRITERS.get(node.name) ?? childrenLatex)(node);
}

function childrenLatex(node: XmlNode | undefined): string {
  return node?.children.map(latex).join('') ?? '';
}

function part(node: XmlNode, name: string): string {
  return tidy(childrenLatex(nodeAt(node, name)));
}

/** Adds braces where more than one sign would be raised. */
function base(node: XmlNode): string {
  const text = part(node, 'e');
  return /^(?:.|\\[A-Za-z]+)$/u.test(text) ? text : `{${text}}`;
}

/** Returns the value of a property; `undefined` when it has none. */
function value(node: XmlNode, properties: string, name: string): string | undefined {
  return nodeAt(node, properties, name)?.attributes.val;
}

/** Returns the sign that a property sets. An empty one means none, an absent one the usual sign. */
function sign(node: XmlNode, path: readonly [properties: string, name: string], usual: string): string {
  const said = nodeAt(node, ...path);
  return said === undefined ? usual : (said.attributes.val ?? '');
}

function isOff(said: string | undefined): boolean {
  return said === '0' || said === 'off' || said === 'false';
}

function isOn(node: XmlNode, properties: string, name: string): boolean {
  const said = nodeAt(node, properties, name);
  return said !== undefined && !isOff(said.attributes.val);
}

const FUNCTIONS: ReadonlySet<string> = new Set(
  'sin cos tan cot sec csc arcsin arccos arctan sinh cosh tanh coth log ln lg exp lim max min sup inf det dim ker arg gcd deg Pr limsup liminf'.split(
    ' ',
  ),
);
const STYLES: ReadonlyMap<string, string> = new Map([
  ['double-struck', 'mathbb'],
  ['script', 'mathcal'],
  ['fraktur', 'mathfrak'],
]);

function runLatex(run: XmlNode): string {
  const text = childrenOf(run, 't').map(textOf).join('');
  if (FUNCTIONS.has(text.trim())) return `\\${text.trim()} `;
  if (nodeAt(run, 'rPr', 'nor') !== undefined) return `\\text{${latexWords(text)}}`;
  const style = STYLES.get(value(run, 'rPr', 'scr') ?? '');
  const written = latexText(text);
  if (style !== undefined) return `\\${style}{${written.trim()}}`;
  const isUpright = value(run, 'rPr', 'sty') === 'p';
  return isUpright && /^[A-Za-z]{2,}$/.test(text) ? `\\mathrm{${text}}` : written;
}

/** Converts words between formulas. */
function latexWords(text: string): string {
  return text.replace(/[\\^~|]/g, ' ').replace(/[{}$&#%_]/g, '\\$&');
}

function fraction(node: XmlNode): string {
  const [over, under] = [part(node, 'num'), part(node, 'den')];
  switch (value(node, 'fPr', 'type')) {
    case 'lin':
      return `{${over}}/{${under}}`;
    case 'noBar':
      return `{${over} \\atop ${under}}`;
    default:
      return `\\frac{${over}}{${under}}`;
  }
}

function radical(node: XmlNode): string {
  const degree = isOn(node, 'radPr', 'degHide') ? '' : part(node, 'deg');
  return degree === '' ? `\\sqrt{${part(node, 'e')}}` : `\\sqrt[${degree}]{${part(node, 'e')}}`;
}

const INTEGRAL = '∫';

function nary(node: XmlNode): string {
  const operator = latexSign(sign(node, ['naryPr', 'chr'], INTEGRAL));
  const [from, to] = [part(node, 'sub'), part(node, 'sup')];
  return `${operator}${from === '' ? '' : `_{${from}}`}${to === '' ? '' : `^{${to}}`} ${part(node, 'e')}`;
}

function delimited(node: XmlNode): string {
  const [open, between, close] = (['begChr', 'sepChr', 'endChr'] as const).map((name, index) =>
    sign(node, ['dPr', name], '(|)'.charAt(index)),
  );
  const inside = childrenOf(node, 'e').map((it) => tidy(childrenLatex(it)));
  const matrix = inside.length === 1 ? inside[0] : undefined;
  const kind = MATRICES.get(`${open}${close}`);
  if (kind !== undefined && matrix !== undefined && isOneMatrix(node))
    return matrix
      .replace('\\begin{matrix}', `\\begin{${kind}}`)
      .replace(/\\end\{matrix\}$/, `\\end{${kind}}`);
  const separator = latexSign(between ?? '');
  return `\\left${delimiter(open)} ${inside.join(` ${separator} `)} \\right${delimiter(close)}`;
}

const MATRICES: ReadonlyMap<string, string> = new Map([
  ['()', 'pmatrix'],
  ['[]', 'bmatrix'],
  ['||', 'vmatrix'],
]);

function isOneMatrix(node: XmlNode): boolean {
  const inside = nodeAt(node, 'e')?.children.filter(({ name }) => !PROPERTIES.test(name)) ?? [];
  return inside.length === 1 && inside[0]?.name === 'm';
}

/** A missing delimiter is written as a dot. */
function delimiter(said: string | undefined): string {
  return said === undefined || said === '' ? '.' : latexSign(said);
}

function rows(matrix: XmlNode): string {
  return childrenOf(matrix, 'mr')
    .map((row) =>
      childrenOf(row, 'e')
        .map((it) => tidy(childrenLatex(it)))
        .join(' & '),
    )
    .join(' \\\\ ');
}

/** Marks that are placed on the base. */
const ACCENTS: ReadonlyMap<string, string> = new Map([
  ['\u0300', 'grave'],
  ['\u0301', 'acute'],
  ['\u0302', 'hat'],
  ['\u0303', 'tilde'],
  ['\u0304', 'bar'],
  ['\u0305', 'overline'],
  ['\u0306', 'breve'],
  ['\u0307', 'dot'],
  ['\u0308', 'ddot'],
  ['\u030a', 'mathring'],
  ['\u030c', 'check'],
  ['\u20d6', 'overleftarrow'],
  ['\u20d7', 'vec'],
  ['\u20db', 'dddot'],
]);
const GROUPS: ReadonlyMap<string, string> = new Map([
  ['⏞', 'overbrace'],
  ['⏟', 'underbrace'],
  ['→', 'overrightarrow'],
  ['←', 'overleftarrow'],
]);

function grouped(node: XmlNode): string {
  return `\\${GROUPS.get(sign(node, ['groupChrPr', 'chr'], '⏟')) ?? 'underbrace'}{${part(node, 'e')}}`;
}

/** Written as an index of a name such as `lim` or of a brace, and set over or under anything else. */
function limit(node: XmlNode, where: '_' | '^'): string {
  const over = part(node, 'e');
  const named = /^\\[a-z]+$/.test(over) || /^\\(?:over|under)brace\{/.test(over);
  if (named) return `${over}${where}{${part(node, 'lim')}}`;
  return `\\${where === '_' ? 'underset' : 'overset'}{${part(node, 'lim')}}{${over}}`;
}
