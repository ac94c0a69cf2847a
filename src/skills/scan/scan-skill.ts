// Scans all files of a skill.
import { createBreath } from '../../breath.ts';
import { type Folder, insideFolder, openChildFile, useFile } from '../../workspace/folder.ts';
import { SKILL_FILE } from '../skill-text.ts';
import { type FileKind, fileKind, KIND_BYTES } from './file-kind.ts';
import type { Finding, Severity } from './finding.ts';
import { scanText } from './scan-text.ts';

/** Paths are relative to the folder of the skill, with slashes. */
export interface ScannedFile {
  readonly path: string;
  readonly size: number;
}

/** More than people read: as much as a whole book. */
const MAX_TEXT_BYTES = 1_048_576;
const MAX_TOTAL_BYTES = 10 * 1_048_576;
const MAX_FINDINGS = 200;
/** Files that are not run. A file with another name, or none, may be a program. */
const DATA =
  /\.(?:md|txt|rst|log|csv|tsv|jsonl?|ndjson|ya?ml|toml|xml|svg|geojson|parquet|npy|onnx|sqlite|png|jpe?g|gif|webp|wav|avi|mp3|pdf|woff2?|ttf|otf|ico|docx?|xlsx?|pptx?|gz|tgz|bz2|xz|7z|rar|zst|zip)$/i;

/** Worst first. `folder` is the folder of the skill. */
export async function scanSkill(folder: Folder, files: readonly ScannedFile[]): Promise<readonly Finding[]> {
  const breath = createBreath();
  const findings: Finding[] = [];
  let left = MAX_TOTAL_BYTES;
  for (const file of files) {
    const bytes = await headOf(folder, file, Math.min(MAX_TEXT_BYTES, Math.max(left, KIND_BYTES)));
    const kind = fileKind(file.path, bytes);
    const ofKind = OF_KIND[kind];
    if (ofKind !== undefined) findings.push({ ...ofKind, file: file.path, line: null });
    // A script may begin with the letters of an image, so anything that a shell may run is scanned.
    if (kind !== 'text' && kind !== 'unknown' && bytes.subarray(0, KIND_BYTES).includes(0)) continue;
    if (bytes.length < file.size) findings.push(notScanned(file.path));
    left -= bytes.length;
    // A text that is not UTF-8 is scanned as it is displayed.
    findings.push(
      ...(await scanText(file.path, new TextDecoder().decode(bytes).replaceAll('\0', ''), breath)),
    );
  }
  return findings.toSorted((a, b) => RANK[a.severity] - RANK[b.severity]).slice(0, MAX_FINDINGS);
}

/** What is found by the kind of a file alone. */
const OF_KIND: Readonly<Record<FileKind, Pick<Finding, 'rule' | 'severity' | 'message'> | undefined>> = {
  program: { rule: 'binary', severity: 'critical', message: 'A compiled program.' },
  archive: { rule: 'archive', severity: 'warning', message: 'An archive; its contents were not scanned.' },
  unknown: { rule: 'binary', severity: 'warning', message: 'A file of a kind that is not known.' },
  known: undefined,
  text: undefined,
};

const RANK: Readonly<Record<Severity, number>> = { critical: 0, warning: 1, info: 2 };

async function headOf(folder: Folder, { path, size }: ScannedFile, maxBytes: number): Promise<Buffer> {
  const names = path.split('/');
  const name = names.pop() ?? '';
  return insideFolder(folder, { names, create: false }, (inside) =>
    useFile(openChildFile(inside, name), async ({ handle }) => {
      const bytes = Buffer.alloc(Math.min(size, maxBytes));
      const { bytesRead } = await handle.read(bytes, 0, bytes.length, 0);
      return bytes.subarray(0, bytesRead);
    }),
  );
}

function notScanned(file: string): Finding {
  const severity = file !== SKILL_FILE && DATA.test(file) ? 'warning' : 'critical';
  return { rule: 'not-scanned', severity, file, line: null, message: 'Too long to be looked through.' };
}
