// Checks conversion: which documents become Markdown on this machine, and with which tool.
import type { ConversionMeans } from '../../workspace/convert/choose-converter.ts';
import type { ConversionOptions } from '../../workspace/convert/conversion-options.ts';
import { type Finding, findingsOn } from '../finding.ts';

const { ok, note } = findingsOn('documents');
const NEW = '.pdf, .docx, .xlsx and .pptx';
const OLD = '.doc, .xls and .ppt';
const WITHOUT_LIBREOFFICE = `${NEW} become Markdown; of .doc and .xls the plain content does, .ppt does not.`;
const WITHOUT_BOX =
  'Without bubblewrap their processes share the network of this machine, and PDFs are read by a slower reader ' +
  'that keeps less structure, because native code needs a box.';

/** `means` returns the tools that the machine has. */
export async function checkConversion(
  options: ConversionOptions,
  means: () => Promise<ConversionMeans>,
): Promise<Finding> {
  if (!options.enabled) return ok('Off: documents are not converted.');
  const { box, libreOffice } = await means();
  if (!box.works) return note(`${WITHOUT_LIBREOFFICE} ${WITHOUT_BOX}`, box.reason);
  if (options.libreoffice === 'off') return ok(WITHOUT_LIBREOFFICE);
  if (libreOffice === undefined) {
    const fix = 'Install LibreOffice for all old formats (Debian: libreoffice-writer, -calc and -impress).';
    return note(WITHOUT_LIBREOFFICE, fix);
  }
  return ok(`${NEW} become Markdown, and ${OLD} through LibreOffice.`);
}
