// The converter for this machine, as configured.
import { type Probe, probeBubblewrap } from '../../processes/probe-bubblewrap.ts';
import { boxedCommand, plainCommand } from './conversion-command.ts';
import type { ConversionOptions } from './conversion-options.ts';
import { isOldFormat } from './conversion-order.ts';
import { type Converter, NO_CONVERTER } from './converter.ts';
import { findLibreOffice, type LibreOffice } from './libre-office.ts';
import { createProcessConverter } from './process-converter.ts';

export interface ConversionMeans {
  readonly box: Probe;
  /** Where it is installed, whether or not it is used. */
  readonly libreOffice: LibreOffice | undefined;
}

/** Where programs are looked for. */
const CONVERSION_PATH = '/usr/local/bin:/usr/bin:/bin';

export function chooseConverter(options: ConversionOptions): Converter {
  if (!options.enabled) return NO_CONVERTER;
  // What the machine can do is looked at once, when the first document comes.
  let known: Promise<ConversionMeans> | undefined;
  return createProcessConverter({
    options,
    async command(task) {
      known ??= conversionMeans();
      const { box, libreOffice } = await known;
      if (!box.works) return plainCommand(task, options);
      const isForOffice = options.libreoffice === 'auto' && isOldFormat(task.extension);
      return boxedCommand(task, options, isForOffice ? libreOffice : undefined);
    },
  });
}

/** Never rejects. */
export async function conversionMeans(): Promise<ConversionMeans> {
  const [box, libreOffice] = await Promise.all([
    probeBubblewrap(CONVERSION_PATH),
    findLibreOffice(CONVERSION_PATH),
  ]);
  return { box, libreOffice };
}
