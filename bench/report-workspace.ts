// The figures of files as a section of the page and as targets.
import { atLeast, atMost, number, type Target, table, targetTable } from './report-table.ts';
import type { WorkspaceFigures } from './workspace.ts';

const MIB = 1_048_576;

export function workspaceSection({ transfer, conversion, files, ...figures }: WorkspaceFigures): string {
  const { megabytes, upload, served } = transfer;
  const { first, unchanged, oneChanged } = figures.snapshot;
  const rows: readonly (readonly [string, number, number?])[] = [
    [`upload of ${megabytes} MB to the service`, upload.ms, upload.cpuMs],
    ['the same request into a file by plain Node', upload.plainMs, upload.plainCpuMs],
    [`${megabytes} MB from memory into a file, no server`, upload.writeMs],
    [`artifact of ${megabytes} MB from the service`, served.ms],
    ['the same file from plain Node', served.plainMs],
    [`PDF of ${number(conversion.pages)} pages to Markdown, slowest`, conversion.ms],
    [`grep over ${number(files)} files`, figures.grep.ms, figures.grep.cpuMs],
    [`counting the bytes of ${number(files)} files`, figures.count.ms, figures.count.cpuMs],
    [`writing ${number(files)} files, once`, figures.written.ms, figures.written.cpuMs],
    [`first snapshot of ${number(files)} files`, first.ms, first.cpuMs],
    ['snapshot, none changed', unchanged.ms, unchanged.cpuMs],
    ['snapshot, one changed', oneChanged.ms, oneChanged.cpuMs],
    ...Object.entries(figures.commandMs).map(([kind, ms]) => [`a command in ${kind}`, ms] as const),
  ];
  return [
    `Resident memory that uploads of ${megabytes} MB, one after the other, add to the service: ${number(transfer.uploadMegabytes)} MB at most; serving them: ${number(transfer.servedMegabytes)} MB. All processes of a conversion together: ${number(conversion.peakBytes / MIB)} MB at most. CPU is that of the server, or of the process that does the work, where it was measured.`,
    table(
      ['what', 'median ms', 'CPU ms'],
      rows.map(([what, ms, cpuMs]) => [what, number(ms), cpuMs === undefined ? '' : number(cpuMs)]),
    ),
  ].join('\n\n');
}

export function workspaceTargets(figures: WorkspaceFigures | undefined): readonly Target[] {
  if (figures === undefined) return [];
  const { upload, uploadMegabytes, served } = figures.transfer;
  const { conversion, snapshot } = figures;
  return [
    atMost('upload of 50 MB over plain Node writing the same request', 1.3, upload.ms / upload.plainMs),
    atMost('CPU of that upload over plain Node', 1.3, upload.cpuMs / upload.plainCpuMs),
    atMost('memory that uploads of 50 MB add, MB', 32, uploadMegabytes),
    atLeast('serving an artifact, share of the speed of plain Node', 0.5, served.plainMs / served.ms),
    atMost('PDF of 300 pages to Markdown, ms', 10_000, conversion.ms),
    atMost('memory of that, MB', 512, conversion.peakBytes / MIB),
    atMost('grep over 10,000 files, ms', 2_000, figures.grep.ms),
    atMost('first snapshot of 10,000 files over writing them', 2, snapshot.first.ms / figures.written.ms),
    atMost('snapshot of 10,000 files, none changed, ms', 1_000, snapshot.unchanged.ms),
  ];
}

/** The figures of files alone. */
export function workspacePage(measuredOn: string, figures: WorkspaceFigures): string {
  const sections = [
    `# Bench of files\n\n${measuredOn}.`,
    `## Targets\n\n${targetTable(workspaceTargets(figures))}`,
    workspaceSection(figures),
  ];
  return `${sections.join('\n\n')}\n`;
}
