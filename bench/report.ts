// The figures of a bench as a page: tables with ratios side by side, and the targets.
import { cpus, loadavg, totalmem } from 'node:os';
import type { ExtensionFigures } from './extensions.ts';
import type { Load, Measurement } from './load.ts';
import type { LongThreadFigures } from './long-thread.ts';
import type { RecordFigures } from './record.ts';
import { extensionSection, extensionTargets } from './report-extensions.ts';
import { recordSection, recordTargets } from './report-record.ts';
import { type RunFigures, runsSection, runTargets } from './report-runs.ts';
import { type StreamFigures, streamsSection, streamTargets } from './report-streams.ts';
import { atLeast, atMost, number, type Target, table, targetTable } from './report-table.ts';
import { workspaceSection, workspaceTargets } from './report-workspace.ts';
import type { WorkspaceFigures } from './workspace.ts';

export interface StartFigures {
  /** From the start of the process to the first answer of `/health`. */
  readonly milliseconds: number;
  readonly idleMegabytes: number;
}

export interface LoadFigures {
  readonly load: Load;
  /** By the contender's name. */
  readonly contenders: Readonly<Record<string, Measurement>>;
}

export interface BenchReport {
  readonly machine: string;
  readonly start: StartFigures;
  readonly loads: readonly LoadFigures[];
  /** Absent when they were left out. */
  readonly streams: StreamFigures | undefined;
  readonly runs: RunFigures;
  /** Absent when it was left out. */
  readonly record: RecordFigures | undefined;
  /** Absent when it was left out. */
  readonly workspace: WorkspaceFigures | undefined;
  readonly extensions: ExtensionFigures | undefined;
  readonly longThread: LongThreadFigures;
}

/** The machine of the figures, and its load before. */
export function machine(): string {
  const [cpu] = cpus();
  const gigabytes = (totalmem() / 2 ** 30).toFixed(0);
  const [load = 0] = loadavg();
  const when = new Date().toISOString().slice(0, 16).replace('T', ' ');
  return `${when} UTC, ${cpus().length} x ${cpu?.model.trim()}, ${gigabytes} GB, Node ${process.version}, load before the bench ${load.toFixed(1)}`;
}

export function markdownOf(report: BenchReport): string {
  const sections = [
    `# Bench\n\n${report.machine}. Server, clients and model server share the machine; the contenders take turns.`,
    `## Targets\n\n${targetTable(targetsOf(report))}`,
    `## Load\n\n${LOAD_NOTE}\n\n${loads(report.loads)}`,
    ...(report.streams === undefined ? [] : [`## Streams\n\n${streamsSection(report.streams)}`]),
    `## Runs\n\n${runsSection(report.runs)}`,
    ...(report.record === undefined ? [] : [`## Record\n\n${recordSection(report.record)}`]),
    ...(report.workspace === undefined ? [] : [`## Files\n\n${workspaceSection(report.workspace)}`]),
    ...(report.extensions === undefined
      ? []
      : [`## Skills and tool servers\n\n${extensionSection(report.extensions)}`]),
    `## Long thread\n\n${longThread(report.longThread)}`,
    `## Start\n\nStart to first answer of /health: ${number(report.start.milliseconds)} ms. Idle memory: ${number(report.start.idleMegabytes)} MB.`,
  ];
  return `${sections.join('\n\n')}\n`;
}

const LOAD_NOTE = [
  'One thread a client, one run after another, `messages-tuple`. CPU is that of the server process; memory is its peak.',
  '`padded`: events of the model have random padding, as those of OpenAI do; `plain`: they differ in their text only.',
  'Either way the clients see a frame for every token.',
].join(' ');

function loads(figures: readonly LoadFigures[]): string {
  const rows = figures.flatMap(({ load, contenders }) =>
    Object.entries(contenders).map(([name, it]) => [
      `${load.clients} x ${load.tokens} ${load.padding}`,
      name,
      number(it.runsPerSecond),
      number(it.tokensPerSecond),
      ratio(it.tokensPerSecond, contenders['pass-through']?.tokensPerSecond),
      ratio(it.tokensPerSecond, contenders.peer?.tokensPerSecond),
      number(it.firstTokenMedian),
      number(it.firstTokenP99),
      number(it.totalMedian),
      number(it.cpuPerToken),
      number(it.busy * 100),
      number(it.peakMegabytes),
    ]),
  );
  return table(LOAD_HEAD, rows);
}

const LOAD_HEAD = [
  'clients x tokens',
  'server',
  'runs/s',
  'tokens/s',
  '/ pass-through',
  '/ peer',
  'first token p50 ms',
  'p99 ms',
  'run p50 ms',
  'CPU us/token',
  'CPU %',
  'peak MB',
];

function longThread({ turns, windows, ...sizes }: LongThreadFigures): string {
  const rows = windows.map((it) => [
    String(it.turn),
    number(it.fileBytes),
    number(it.rowBytes),
    number(it.walBytes),
    number(it.cpuMilliseconds),
    number(it.promptMilliseconds),
    number(it.cpuMilliseconds - it.promptMilliseconds),
  ]);
  const note = `${turns} turns of one thread: a question of 0.5 KB, a tool call with a result of 2 KB, an answer of 1 KB in 200 tokens. Averages of 10 turns, of CPU their median. The file is measured after a checkpoint of its log; "rows" are the bytes of all columns of the rows added; "log" is what SQLite wrote ahead, whole pages. "Prompt" is the same model adapter with the same messages and nothing else. The texts are words by chance, which compress as prose does. The database has ${number(sizes.bytesPerTurn / 1_000)} KB a turn in the end, and ${number(sizes.prunedBytesPerTurn / 1_000)} KB a turn once the streams are pruned; before the first turn the file had ${number(sizes.freshBytes / 1_000)} KB.`;
  return `${note}\n\n${table(LONG_HEAD, rows)}`;
}

const LONG_HEAD = [
  'turn',
  'file bytes/turn',
  'row bytes/turn',
  'log bytes/turn',
  'CPU ms/turn',
  'prompt alone ms',
  'beyond the prompt ms',
];

/** The figures of the record alone. */
export function recordPage(measuredOn: string, record: RecordFigures): string {
  const sections = [
    `# Bench of the record\n\n${measuredOn}.`,
    `## Targets\n\n${targetTable(recordTargets(record))}`,
    recordSection(record),
  ];
  return `${sections.join('\n\n')}\n`;
}

function targetsOf({
  loads: figures,
  streams,
  runs,
  record,
  workspace,
  extensions,
  longThread: thread,
  start,
}: BenchReport): readonly Target[] {
  const at = (clients: number, tokens: number) =>
    figures.find(({ load }) => load.clients === clients && load.tokens === tokens)?.contenders ?? {};
  const quotient = (one: number | undefined, other: number | undefined) =>
    one === undefined || other === undefined ? undefined : one / other;
  const [first, last] = [thread.windows[0], thread.windows.at(-1)];
  const beyond = (it = first) => (it === undefined ? undefined : it.cpuMilliseconds - it.promptMilliseconds);
  const few = at(1, 50).service;
  return [
    ...[50, 1_000].flatMap((tokens) => {
      const { service, peer, 'pass-through': raw } = at(32, tokens);
      const load = `32 clients, ${tokens} tokens`;
      return [
        atLeast(
          `tokens/s over the peer's, ${load}`,
          8,
          quotient(service?.tokensPerSecond, peer?.tokensPerSecond),
        ),
        atLeast(`runs/s over the peer's, ${load}`, 8, quotient(service?.runsPerSecond, peer?.runsPerSecond)),
        atLeast(
          `tokens/s over the pass-through's, ${load}`,
          1 / 3,
          quotient(service?.tokensPerSecond, raw?.tokensPerSecond),
        ),
      ];
    }),
    atMost('request to first token at 1 client, ms', 30, few?.firstTokenMedian),
    atMost('run of 50 tokens at 1 client, ms', 50, few?.totalMedian),
    atMost(
      `file bytes, turn ${last?.turn} over turn ${first?.turn}`,
      1.2,
      quotient(last?.fileBytes, first?.fileBytes),
    ),
    atMost(
      `row bytes, turn ${last?.turn} over turn ${first?.turn}`,
      1.2,
      quotient(last?.rowBytes, first?.rowBytes),
    ),
    atMost(
      `CPU beyond the prompt, turn ${last?.turn} over turn ${first?.turn}`,
      1.2,
      quotient(beyond(last), beyond(first)),
    ),
    atMost(
      `file of 2,000 turns, pruned${thread.turns < 2_000 ? `, by ${thread.turns} turns` : ''}, MB`,
      40,
      (thread.freshBytes + thread.prunedBytesPerTurn * 2_000) / 1e6,
    ),
    ...streamTargets(streams),
    ...runTargets(runs),
    ...recordTargets(record),
    ...workspaceTargets(workspace),
    ...extensionTargets(extensions),
    atMost('idle memory, MB', 150, start.idleMegabytes),
    atMost('start, ms', 1_500, start.milliseconds),
  ];
}

function ratio(value: number, base: number | undefined): string {
  return base === undefined ? '' : number(value / base);
}
