// What the process that converts is told, and what it reports.
import { z } from 'zod';

const CONVERTED_EXTENSIONS = ['.pdf', '.docx', '.xlsx', '.pptx', '.doc', '.xls', '.ppt'] as const;

export const conversionOrderSchema = z.object({
  extension: z.enum(CONVERTED_EXTENSIONS),
  maxMarkdownBytes: z.int(),
  maxUnpackedBytes: z.int(),
  /** `native`: machine code, which no permission of the process binds; for a box only. */
  pdfReader: z.enum(['native', 'script']),
  /** The program that reads the old formats; absent: there is none, or nothing would hold it. */
  libreOffice: z.string().optional(),
});

export type ConversionOrder = z.output<typeof conversionOrderSchema>;
/** What is asked; the command adds what the machine offers. */
export type ConversionTask = Omit<ConversionOrder, 'pdfReader' | 'libreOffice'>;
export type ConvertedExtension = ConversionOrder['extension'];

export const conversionReportSchema = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('converted'), markdown: z.string() }),
  z.object({ kind: z.literal('failed'), reason: z.string() }),
]);

export type ConversionReport = z.output<typeof conversionReportSchema>;

export function isConverted(extension: string): extension is ConvertedExtension {
  return CONVERTED_EXTENSIONS.some((it) => it === extension);
}

/** Whether this is one of the formats of before 2007. */
export function isOldFormat(extension: ConvertedExtension): boolean {
  return extension === '.doc' || extension === '.xls' || extension === '.ppt';
}
