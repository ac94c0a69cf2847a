// Compares what the registry knows against the packages with what is accepted for now: `npm run audit`. It ends with 0 when
// everything that is known is accepted, with 1 when something is not, with 3 when the registry could not be asked.
// Another list of what is accepted may be its first argument, and folders the others.
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { z } from 'zod';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
/** Each has a lockfile of its own. */
const FOLDERS = ['.', 'template'];
const LIST = 'docs/accepted-advisories.json';
const LONGEST_REPORT = 64 * 1_048_576;

/** `until` is the last day on which it is accepted. */
const acceptedSchema = z.array(
  z.strictObject({
    advisory: z.string().regex(/^GHSA(?:-[a-z0-9]{4}){3}$/),
    package: z.string().min(1),
    reason: z.string().min(20),
    until: z.iso.date(),
  }),
);

const advisorySchema = z.object({
  name: z.string(),
  title: z.string(),
  url: z.string(),
  severity: z.string(),
});
const reportSchema = z.object({
  vulnerabilities: z.record(z.string(), z.object({ via: z.array(z.union([z.string(), advisorySchema])) })),
});

interface Finding {
  readonly advisory: string;
  readonly name: string;
  readonly text: string;
}

/** `undefined`: there was no response. */
function findingsOf(folder: string): readonly Finding[] | undefined {
  const cwd = `${ROOT}/${folder}`;
  const args = ['audit', '--json', '--package-lock-only'];
  const { stdout } = spawnSync('npm', args, { cwd, encoding: 'utf8', maxBuffer: LONGEST_REPORT });
  const report = reportSchema.safeParse(parsed(stdout));
  if (!report.success) return undefined;
  return Object.values(report.data.vulnerabilities).flatMap(({ via }) =>
    via.flatMap((it) => {
      if (typeof it === 'string') return [];
      const advisory = it.url.slice(it.url.lastIndexOf('/') + 1);
      return [
        { advisory, name: it.name, text: `${it.name}: ${it.title} (${it.severity}, ${it.url}) in ${folder}` },
      ];
    }),
  );
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function main([list = `${ROOT}/${LIST}`, ...folders]: readonly string[]): number {
  const accepted = acceptedSchema.parse(JSON.parse(readFileSync(list, 'utf8')));
  const today = new Date().toISOString().slice(0, 10);
  const expired = accepted.filter(({ until }) => until < today);
  for (const { advisory, until } of expired)
    console.error(`${advisory} was accepted until ${until}: update the package, or decide anew in ${LIST}.`);
  const reports = (folders.length === 0 ? FOLDERS : folders).map(findingsOf);
  if (reports.includes(undefined)) {
    console.error(
      'The registry did not answer what is known against the packages. Try again, or use another registry.',
    );
    return expired.length > 0 ? 1 : 3;
  }
  const isAccepted = ({ advisory, name }: Finding): boolean =>
    accepted.some((it) => it.advisory === advisory && it.package === name && it.until >= today);
  const news = new Set(reports.flatMap((it) => it ?? []).flatMap((it) => (isAccepted(it) ? [] : [it.text])));
  for (const text of news)
    console.error(`${text}: update the package, or write in ${LIST} why it does no harm.`);
  if (news.size + expired.length > 0) return 1;
  console.log(`Nothing is known against the packages that is not accepted (${accepted.length} accepted).`);
  return 0;
}

process.exitCode = main(process.argv.slice(2));
