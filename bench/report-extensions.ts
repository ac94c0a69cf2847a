// The figures of skills and tool servers as a section of the page and as targets.
import type { Added, ExtensionFigures } from './extensions.ts';
import { atMost, number, type Target, table, targetTable } from './report-table.ts';

const KIB = 1_024;

export function extensionSection(figures: ExtensionFigures): string {
  const { servers, tools, skills, plain, withServers, withSilent, withSkills, silentOnce, stdio } = figures;
  const row = (what: string, ms: number, more?: Pick<Added, 'addedMs' | 'addedBytes'>) => [
    what,
    number(ms),
    more === undefined ? '' : number(more.addedMs),
    more === undefined ? '' : number(more.addedBytes / KIB),
  ];
  return [
    'A turn is a run on a new thread in which the model says twenty words, from the request to its end. With and without are measured by turns in one process.',
    table(
      ['what', 'median ms', 'added ms', 'added to the prompt, KB'],
      [
        row('a turn without skills and tool servers', plain),
        row(`with ${servers} tool servers, ${tools} tools`, withServers.ms, withServers),
        row('with a server that never answers, the first turn', silentOnce),
        row('with it, after its first timeout', withSilent.ms, withSilent),
        row(`with ${skills} skills`, withSkills.ms, withSkills),
        row('a server over its pipes, its own start and first call', stdio.own),
        row('what a run takes longer for the first use of it', stdio.firstUse),
      ],
    ),
  ].join('\n\n');
}

export function extensionTargets(figures: ExtensionFigures | undefined): readonly Target[] {
  if (figures === undefined) return [];
  const { withServers, withSilent, withSkills, stdio } = figures;
  return [
    atMost('20 servers with 200 tools add to a turn, ms', 10, withServers.addedMs),
    // The difference between two series of plain turns.
    atMost('a hanging server adds to a turn after its first timeout, ms', 1, withSilent.addedMs),
    atMost('50 skills add to a turn, ms', 5, withSkills.addedMs),
    atMost('50 skills add to the prompt, KB', 4, withSkills.addedBytes / KIB),
    atMost('first use of a stdio server beyond its own start, ms', 100, stdio.beyond),
  ];
}

/** The figures of skills and tool servers alone. */
export function extensionPage(measuredOn: string, figures: ExtensionFigures): string {
  const sections = [
    `# Bench of skills and tool servers\n\n${measuredOn}.`,
    `## Targets\n\n${targetTable(extensionTargets(figures))}`,
    extensionSection(figures),
  ];
  return `${sections.join('\n\n')}\n`;
}
