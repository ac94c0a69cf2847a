// The input and output of the process that reads web pages.
import { z } from 'zod';

export const pageOrderSchema = z.strictObject({ html: z.string(), url: z.string() });
export const pageReportSchema = z.strictObject({ title: z.string(), markdown: z.string() });

export type PageOrder = z.output<typeof pageOrderSchema>;
export type PageReport = z.output<typeof pageReportSchema>;
