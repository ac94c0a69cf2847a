// A terminal for commands under test: a working directory of its own, and everything that was printed.
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { CommandContext } from '../../src/cli/command.ts';
import { temporaryFolder } from '../workspace/temporary-folder.ts';

export interface Terminal extends CommandContext {
  readonly dataHome: string;
  text(): string;
}

export async function openTerminal(
  environment: Readonly<Record<string, string>> = {},
  config?: string,
): Promise<Terminal> {
  const cwd = await temporaryFolder();
  const dataHome = join(cwd, '.data');
  await mkdir(dataHome);
  if (config !== undefined) await writeFile(join(cwd, 'config.yaml'), config);
  const lines: string[] = [];
  // Port 0 asks for any free one, so that no other program on this machine matters.
  const all = { PORT: '0', ...environment };
  return {
    environment: all,
    cwd,
    dataHome,
    print: (line) => lines.push(line),
    progress: () => {},
    text: () => lines.join('\n'),
  };
}
