// The common parts of the new office formats: parts in a zip, their types, and their relations.
import { plainZip } from '../zip.ts';

export interface Part {
  readonly name: string;
  readonly text: string;
  /** The content type, for parts that need one. */
  readonly type?: string;
}

interface Relation {
  readonly id: string;
  readonly type: string;
  readonly target: string;
  readonly external?: true;
}

const HEAD = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n';
const OFFICE = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships';
const PACKAGE = 'http://schemas.openxmlformats.org/package/2006';

/** Returns the file. `main` is the name of its first part. */
export function officeFile(main: string, parts: readonly Part[]): Promise<Buffer> {
  const overrides = parts
    .filter(({ type }) => type !== undefined)
    .map(({ name, type }) => `<Override PartName="/${name}" ContentType="${type}"/>`);
  const types = [
    `<Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/>`,
    '<Default Extension="xml" ContentType="application/xml"/>',
    ...overrides,
  ].join('');
  return plainZip([
    ['[Content_Types].xml', `${HEAD}<Types xmlns="${PACKAGE}/content-types">${types}</Types>`],
    ['_rels/.rels', relations([{ id: 'rId1', type: 'officeDocument', target: main }])],
    ...parts.map(({ name, text }) => [name, text.startsWith('<?xml') ? text : HEAD + text] as const),
  ]);
}

/** Adds the parts of `more`, or replaces those with the same name. */
export function withParts(own: readonly Part[], more: readonly Part[]): readonly Part[] {
  const replaced = new Set(more.map(({ name }) => name));
  return [...own.filter(({ name }) => !replaced.has(name)), ...more];
}

export function relations(list: readonly Relation[]): string {
  const entries = list.map(
    ({ id, type, target, external }) =>
      `<Relationship Id="${id}" Type="${OFFICE}/${type}" Target="${escapedXml(target)}"${external ? ' TargetMode="External"' : ''}/>`,
  );
  return `${HEAD}<Relationships xmlns="${PACKAGE}/relationships">${entries.join('')}</Relationships>`;
}

export function escapedXml(text: string): string {
  return text.replace(/&/g, '&amp;').replace(/</g, '&lt;').replace(/>/g, '&gt;').replace(/"/g, '&quot;');
}
