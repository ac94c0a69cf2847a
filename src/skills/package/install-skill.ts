// Installs a `.skill` package for a person, completely or not at all.
import { createHash } from 'node:crypto';
import { atMost } from '../../at-most.ts';
import { invalid, ServiceError } from '../../errors.ts';
import { createFairShare, type FairShare, refusalSentence } from '../../fair-share/fair-share.ts';
import { insideDrafts, openChildFile, useFile } from '../../workspace/folder.ts';
import { type UploadDrafts, withUploadDrafts } from '../../workspace/uploads/upload-drafts.ts';
import { recordSkillAct, type SkillEditing } from '../edit/skill-editing.ts';
import { withStaging } from '../place-skill.ts';
import { readText } from '../read-text.ts';
import { type Finding, isBlocking } from '../scan/finding.ts';
import { scanSkill } from '../scan/scan-skill.ts';
import { MAX_TEXT_BYTES, parseSkillText, SKILL_FILE, tooLarge } from '../skill-text.ts';
import type { SkillPerson } from '../switch-skill.ts';
import { placePackage } from './place-package.ts';
import { writeProvenance } from './provenance.ts';
import { unpackPackage } from './unpack-package.ts';

interface IncomingPackage {
  readonly name: string;
  /** Can be read once. The reader owns each piece until it requests the next one. */
  readonly pieces: AsyncIterable<Uint8Array>;
}

interface InstallRequest {
  /** Must be exactly one. */
  readonly files: AsyncIterable<IncomingPackage>;
  /** Called when all files have been read. Only an administrator's confirmation counts. */
  readonly isConfirmed: () => boolean;
}

type InstallOutcome =
  | { readonly kind: 'installed'; readonly name: string; readonly findings: readonly Finding[] }
  | { readonly kind: 'blocked'; readonly findings: readonly Finding[] };

/**
 * Throws `invalid` for a package that is not a skill or not safe, `payload_too_large`,
 * `insufficient_storage`, `conflict` when the person already has a skill of this name, and
 * `too_many_attempts` when too many packages are being installed. Writes nothing in these cases.
 */
export type InstallSkill = (person: SkillPerson, request: InstallRequest) => Promise<InstallOutcome>;

interface InstallSkillParts extends SkillEditing {
  readonly maxPackageBytes: number;
}

/** Packages being received or awaiting installation. Bounds how many lie on the disk in total. */
const RECEIVING = { total: 8, perOwner: 1, waitingPerOwner: 4, longestWaitMs: 60_000 };
/** Each installation occupies a processor for a second or two. */
const INSTALLING = { total: 2, perOwner: 1, waitingPerOwner: 1, longestWaitMs: 60_000 };
const MAX_SHOWN_NAME = 255;

export function createInstallSkill(parts: InstallSkillParts): InstallSkill {
  const { dataHome, newId, maxPackageBytes } = parts;
  const receiving = createFairShare(RECEIVING);
  const installing = createFairShare(INSTALLING);
  return (person, request) =>
    inPlace(receiving, person, () =>
      withUploadDrafts({ dataHome, newId }, async (drafts) => {
        const package_ = await receivePackage(request.files, { drafts, maxPackageBytes });
        const isConfirmed = person.isAdministrator && request.isConfirmed();
        return inPlace(installing, person, () => installReceived(parts, { person, package_, isConfirmed }));
      }),
    );
}

async function inPlace<Result>(
  places: FairShare,
  { userId }: SkillPerson,
  work: () => Promise<Result>,
): Promise<Result> {
  const turn = await places.use(userId, new AbortController().signal, work);
  if (turn.kind === 'done') return turn.result;
  if (turn.kind === 'cancelled') throw new Error('An installation cannot be cancelled.');
  const { retryAfterSeconds } = turn;
  throw new ServiceError('too_many_attempts', refusalSentence(turn, 'installations'), { retryAfterSeconds });
}

async function receivePackage(
  files: InstallRequest['files'],
  { drafts, maxPackageBytes }: { readonly drafts: UploadDrafts; readonly maxPackageBytes: number },
): Promise<Received> {
  let received: Received | undefined;
  for await (const { name, pieces } of files) {
    if (received !== undefined) throw invalid('Send one package at a time.');
    const counted = countPieces(pieces, maxPackageBytes);
    const draft = await drafts.receive(counted.pieces);
    received = { draft, fileName: shownName(name), ...counted.sum() };
  }
  if (received === undefined) throw invalid('No package was sent: send it in the field "file".');
  return received;
}

interface Received {
  /** The name of the file in the drafts folder. */
  readonly draft: string;
  readonly fileName: string;
  readonly size: number;
  readonly sha256: string;
}

interface Installation {
  readonly person: SkillPerson;
  readonly package_: Received;
  readonly isConfirmed: boolean;
}

function installReceived(
  parts: InstallSkillParts,
  { person, package_, isConfirmed }: Installation,
): Promise<InstallOutcome> {
  const { dataHome, now } = parts;
  const { userId } = person;
  return withStaging(parts, async ({ folder, path }) => {
    const unpacked = await insideDrafts(dataHome, (drafts) =>
      useFile(openChildFile(drafts, package_.draft), ({ handle: { fd } }) =>
        unpackPackage({ fd, size: package_.size, into: folder }),
      ),
    );
    const { head } = parseSkillText(await readText({ folder, name: SKILL_FILE, maxBytes: MAX_TEXT_BYTES }));
    if (unpacked.folder !== undefined && unpacked.folder !== head.name)
      throw invalid(
        `The skill is named '${head.name}', but its folder in the package is not. Give both the same name.`,
      );
    const findings = await scanSkill(folder, unpacked.files);
    if (isBlocking(findings) && !isConfirmed) return { kind: 'blocked', findings };
    const { fileName, sha256 } = package_;
    await writeProvenance(folder, { installedAt: now(), installedBy: userId, fileName, sha256 });
    await placePackage(parts, { userId, name: head.name, from: path, files: unpacked.files });
    const details = { change: 'install', skill: `custom/${head.name}`, file: fileName, sha256 };
    await recordSkillAct(parts, person, { details, findings });
    return { kind: 'installed', name: head.name, findings };
  });
}

/** Passes the pieces on. `sum` returns what was counted after the last one. */
function countPieces(pieces: AsyncIterable<Uint8Array>, maxBytes: number) {
  const hash = createHash('sha256');
  let size = 0;
  const refusal = () => tooLarge(`The package is larger than ${Math.floor(maxBytes / 1_048_576)} MB.`);
  return {
    pieces: (async function* () {
      for await (const piece of atMost(pieces, maxBytes, refusal)) {
        size += piece.length;
        hash.update(piece);
        yield piece;
      }
    })(),
    sum: () => ({ size, sha256: hash.digest('hex') }),
  };
}

/** Strips folders and characters that a terminal or a page would not show as they are. */
function shownName(name: string): string {
  const last = name.split(/[\\/]/).at(-1) ?? '';
  return last.replace(/[\p{C}\p{Zl}\p{Zp}]/gu, '').slice(0, MAX_SHOWN_NAME);
}
