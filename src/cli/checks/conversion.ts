// Conversion: which documents become Markdown here, and by what?
import type { ConversionMeans } from '../../workspace/convert/choose-converter.ts';
import type { ConversionOptions } from '../../workspace/convert/conversion-options.ts';
import type { Finding } from '../finding.ts';

const subject = 'documents';
const NEW = '.pdf, .docx, .xlsx and .pptx';
const OLD = '.doc, .xls and .ppt';
const WITHOUT_LIBREOFFICE = `${NEW} become Markdown; of .doc and .xls the plain content does, .ppt does not.`;
const WITHOUT_BOX =
  'Without bubblewrap their processes share the network of this machine, and PDFs are read by a slower reader ' +
  'that keeps less structure, because native code needs a box.';

/** `means`: what the machine can do. */
export async function checkConversion(
  options: ConversionOptions,
  means: () => Promise<ConversionMeans>,
): Promise<Finding> {
  if (!options.enabled) return { verdict: 'ok', subject, message: 'Off: documents stay as they are.' };
  const { box, libreOffice } = await means();
  if (!box.works) {
    const message = `${WITHOUT_LIBREOFFICE} ${WITHOUT_BOX}`;
    return { verdict: 'note', subject, message, fix: box.reason };
  }
  if (options.libreoffice === 'off') return { verdict: 'ok', subject, message: WITHOUT_LIBREOFFICE };
  if (libreOffice === undefined) {
    const fix = 'Install LibreOffice for all old formats (Debian: libreoffice-writer, -calc and -impress).';
    return { verdict: 'note', subject, message: WITHOUT_LIBREOFFICE, fix };
  }
  return { verdict: 'ok', subject, message: `${NEW} become Markdown, and ${OLD} through LibreOffice.` };
}
