// The figures of files as a section of the page and as targets.
import { atLeast, atMost, number, type Target, table } from './report-table.ts';
import type { WorkspaceFigures } from './workspace.ts';

export function workspaceSection({ transfer, files, ...figures }: WorkspaceFigures): string {
  const { megabytes, upload, served } = transfer;
  const rows: readonly (readonly [string, number])[] = [
    [`upload of ${megabytes} MB to the service`, upload.ms],
    [`the same body into a file by plain Node`, upload.plainMs],
    [`${megabytes} MB from memory into a file, no server`, upload.writeMs],
    [`artifact of ${megabytes} MB from the service`, served.ms],
    [`the same file from plain Node`, served.plainMs],
    [`grep over ${number(files)} files`, figures.grepMs],
    [`counting the bytes of ${number(files)} files`, figures.countMs],
    [`first snapshot of ${number(files)} files`, figures.snapshot.first],
    [`snapshot, none changed`, figures.snapshot.unchanged],
    [`snapshot, one changed`, figures.snapshot.oneChanged],
    ...Object.entries(figures.commandMs).map(([kind, ms]) => [`a command in ${kind}`, ms] as const),
  ];
  return [
    `Resident memory that uploads of ${megabytes} MB, one after the other, add to the service: ${number(transfer.uploadMegabytes)} MB at most; serving them: ${number(transfer.servedMegabytes)} MB.`,
    table(
      ['what', 'median ms'],
      rows.map(([what, ms]) => [what, number(ms)]),
    ),
  ].join('\n\n');
}

export function workspaceTargets(figures: WorkspaceFigures | undefined): readonly Target[] {
  if (figures === undefined) return [];
  const { upload, uploadMegabytes, served } = figures.transfer;
  return [
    atMost('upload of 50 MB over plain Node writing the same body', 1.3, upload.ms / upload.plainMs),
    atMost('memory that uploads of 50 MB add, MB', 32, uploadMegabytes),
    atLeast('serving an artifact, share of the speed of plain Node', 0.5, served.plainMs / served.ms),
    atMost('grep over 10,000 files, ms', 2_000, figures.grepMs),
  ];
}
