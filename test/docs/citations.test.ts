// What comments and pages cite is there: pages, headings and requirements. And the contract covers every area.
import { readdir, readFile } from 'node:fs/promises';
import { join, posix } from 'node:path';
import { expect, it } from 'vitest';
import { requirements } from '../requirements.ts';
import { allPages, headingsOf, ROOT } from './documents.ts';

const SOURCES = ['src', 'web/src', 'test', 'bench', 'scripts'];
/** A page of the documentation, perhaps with the name of a heading in it. */
const CITED_PAGE = /\bdocs\/[\w./-]+\.md(?:#[\w-]+)?/g;
/** Ways to cite that name no page. */
const CITES_NOTHING =
  /\bdocs\/decisions(?!\/(?:\d{4}-[\w-]+\.md|README\.md|NNNN))|\((?:contract|decisions?|design|interface|reliability)\b[^)]*\)|\bdecisions?,? (?:section )?\d/;

const pages = await allPages();

async function filesBelow(folder: string): Promise<readonly string[]> {
  const entries = await readdir(join(ROOT, folder), { recursive: true });
  return entries
    .filter((it) => /\.tsx?$/.test(it) && !it.includes('node_modules'))
    .map((it) => posix.join(folder, it));
}

/** Each comment with the place where it stands. Text that only looks like one does no harm: it is read as well. */
async function allComments(): Promise<readonly (readonly [place: string, comment: string])[]> {
  const files = (await Promise.all(SOURCES.map(filesBelow))).flat();
  const perFile = files.map(async (file) => {
    const lines = (await readFile(join(ROOT, file), 'utf8')).split('\n');
    return lines.flatMap((line, index) => {
      const comment = /(?:^|\s)(?:\/\/|\/\*\*?|\*)\s(.*)$/.exec(line)?.[1];
      return comment === undefined ? [] : [[`${file}:${index + 1}`, comment] as const];
    });
  });
  return (await Promise.all(perFile)).flat();
}

/** Whether the page is there, and the heading in it, if one is named. */
function leadsSomewhere(target: string): boolean {
  const [path = '', heading] = target.split('#');
  const page = pages.get(path);
  return page !== undefined && (heading === undefined || headingsOf(page).has(heading));
}

const contract = [...pages].filter(([path]) => path.startsWith('docs/contract/'));

/** Ids in square brackets, as titles of tests have them; links are none. */
function citedIds(text: string): readonly string[] {
  return [...text.matchAll(/(?<!`)\[([a-z][\w-]*(?:\.[\w-]+)+)\](?!\()/g)].map(([, id = '']) => id);
}

it('[docs.citations] every page and heading that a comment cites is there', async () => {
  const comments = await allComments();
  const citations = comments.flatMap(([place, comment]) =>
    (comment.match(CITED_PAGE) ?? []).map((target) => [place, target] as const),
  );
  expect(citations.length).toBeGreaterThan(100);
  const broken = citations.filter(([, target]) => !leadsSomewhere(target));
  expect(broken.map(([place, target]) => `${place}: ${target}`)).toEqual([]);
  const empty = comments.filter(([, comment]) => CITES_NOTHING.test(comment));
  expect(empty.map(([place, comment]) => `${place}: ${comment}`)).toEqual([]);
});

it('[docs.citations] every heading that a page links to is there', () => {
  const broken = [...pages].flatMap(([path, text]) =>
    [...text.matchAll(/\]\(((?:[\w./-]+\.md)?)#([\w-]+)\)/g)]
      .map(([, file = '', heading = '']) => [
        file === '' ? path : posix.join(posix.dirname(path), file),
        heading,
      ])
      .filter(([file, heading]) => !leadsSomewhere(`${file}#${heading}`))
      .map(([file, heading]) => `${path}: ${file}#${heading}`),
  );
  expect(broken).toEqual([]);
});

it('[docs.contract] every requirement that the contract names is one', () => {
  const unknown = contract.flatMap(([path, text]) =>
    citedIds(text)
      .filter((id) => !(id in requirements))
      .map((id) => `${path}: ${id}`),
  );
  expect(unknown).toEqual([]);
});

it('[docs.contract] the contract has something of every area of the requirements', async () => {
  const cited = new Set(contract.flatMap(([, text]) => citedIds(text)));
  expect(cited.size).toBeGreaterThan(300);
  const areas = (await readdir(join(ROOT, 'test/requirements'))).filter((file) => file.endsWith('.ts'));
  const idsOf = async (file: string): Promise<readonly string[]> => {
    const text = await readFile(join(ROOT, 'test/requirements', file), 'utf8');
    return Object.keys(requirements).filter((id) => text.includes(`'${id}':`));
  };
  const covered = await Promise.all(
    areas.map(async (file) => (await idsOf(file)).some((id) => cited.has(id))),
  );
  expect(areas.filter((_, index) => !covered[index])).toEqual([]);
});
