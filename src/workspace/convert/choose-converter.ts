// Chooses the converter for this machine, as configured.
import type { ConfinementOf, Probe } from '../../processes/confinement.ts';
import { boxedCommand, findLibreOffice, type LibreOffice, plainCommand } from './conversion-command.ts';
import type { ConversionOptions } from './conversion-options.ts';
import { isOldFormat } from './conversion-order.ts';
import { type Converter, NO_CONVERTER } from './converter.ts';
import { createProcessConverter } from './process-converter.ts';

export interface ConversionMeans {
  readonly box: Probe;
  /** Where it is installed, whether or not it is used. */
  readonly libreOffice: LibreOffice | undefined;
}

/** The search path for programs. */
const CONVERSION_PATH = '/usr/local/bin:/usr/bin:/bin';

export function chooseConverter(options: ConversionOptions, confinement: ConfinementOf): Converter {
  if (!options.enabled) return NO_CONVERTER;
  // Searched once, for the first document.
  let office: Promise<LibreOffice | undefined> | undefined;
  return createProcessConverter({
    options,
    async command(task) {
      office ??= findLibreOffice(CONVERSION_PATH);
      const box = await confinement();
      if (!box.bubblewrap.works) return plainCommand(task, options);
      const isForOffice = options.libreoffice === 'auto' && isOldFormat(task.extension);
      return boxedCommand(task, { ...options, box, libreOffice: isForOffice ? await office : undefined });
    },
  });
}

/** Never rejects. */
export async function conversionMeans(confinement: ConfinementOf): Promise<ConversionMeans> {
  const [{ bubblewrap }, libreOffice] = await Promise.all([confinement(), findLibreOffice(CONVERSION_PATH)]);
  return { box: bubblewrap, libreOffice };
}
